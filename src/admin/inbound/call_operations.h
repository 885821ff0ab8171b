/* SPDX-License-Identifier: MIT
 * Calls of inbound webhooks: the log, one call, its replay, and a test of a payload (docs/inbound.md 5). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_inbound_test, operation_inbound_log, operation_inbound_lead, operation_inbound_call,
    operation_inbound_replay;
