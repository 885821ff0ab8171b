/* SPDX-License-Identifier: MIT
 * webhook test: sends a test delivery and shows the response. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_webhook_test;
