/* SPDX-License-Identifier: MIT
 * Bulk jobs of a campaign that are not done (docs/api.md 4.1). Functions fail as store.h says. */
#pragma once

#include "store/store.h"

struct lead_job {
	uint64_t id;
	enum lead_action action; /* LEAD_ACTIONS: of a later version */
	uint64_t tag_id;         /* of LEAD_TAG; else 0 */
	struct slice argument;   /* as in struct lead_change; may be absent */
	int32_t points;          /* of LEAD_POINTS, as the next one */
	struct slice message;
	uint32_t leads, done;
	uint32_t failures;        /* in a row, at the next lead */
	int64_t delayed_until_ms; /* 0: it is not */
	int64_t created_ms;
};
/* In the order in which they are done, at most `limit`. A job that is done is not stored. */
MUST_CHECK enum result store_list_lead_jobs(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead_job **jobs, size_t *count);
