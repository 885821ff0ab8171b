/* SPDX-License-Identifier: MIT
 * Deliveries: list, show, count and redeliver (docs/operating.md 4, leadhook(1)). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_delivery_list, operation_delivery_show, operation_delivery_count,
    operation_delivery_redeliver, operation_campaign_redeliver;
