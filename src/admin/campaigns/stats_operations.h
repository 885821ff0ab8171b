/* SPDX-License-Identifier: MIT
 * Statistics of campaigns and webhooks (docs/statistics.md). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_campaign_overview, operation_campaign_stats, operation_campaign_sources,
    operation_webhook_stats, operation_stats_rebuild;
