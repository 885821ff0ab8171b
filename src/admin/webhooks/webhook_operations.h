/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign and their settings (docs/deliveries.md 1 to 4). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_webhook_add, operation_webhook_list, operation_webhook_show, operation_webhook_set,
    operation_webhook_enable, operation_webhook_disable, operation_webhook_rotate, operation_webhook_remove;
