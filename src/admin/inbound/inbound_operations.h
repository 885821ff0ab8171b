/* SPDX-License-Identifier: MIT
 * Inbound webhooks of a campaign (docs/inbound.md 1, 3). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_inbound_add, operation_inbound_list, operation_inbound_show, operation_inbound_set,
    operation_inbound_rotate, operation_inbound_remove;
