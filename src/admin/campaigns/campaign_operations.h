/* SPDX-License-Identifier: MIT
 * Campaigns and their settings. */
#pragma once

#include "operation/operation.h"
#include "store/find.h"

extern const struct operation operation_campaign_show;

/* Finds one part of the list of campaigns: those of the account that is the subject, or of all accounts. Leaves out those that
 * the caller may not see. In the call's pool. */
MUST_CHECK enum result campaigns_of_caller(
    struct operation_call *call, struct list_part part, struct campaign **campaigns, size_t *count, int64_t *now_ms);
