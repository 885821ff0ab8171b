/* SPDX-License-Identifier: MIT
 * Deliveries: list, show, count and redeliver (docs/operating.md 4, leadhook(1)). */
#ifndef LEADHOOK_ADMIN_WEBHOOKS_DELIVERY_OPERATIONS_H
#define LEADHOOK_ADMIN_WEBHOOKS_DELIVERY_OPERATIONS_H

#include "operation/operation.h"

extern const struct operation operation_delivery_list, operation_delivery_show, operation_delivery_count,
    operation_delivery_redeliver, operation_campaign_redeliver;

#endif
