/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1). What a job does to each lead is an ordinary batch of commands.
 *
 * Functions fail as described in store.h; all may be repeated. */
#pragma once

#include "store/store.h"

struct bulk_job {
	uint64_t id, campaign_id;
	enum lead_action action; /* LEAD_ACTIONS: of a later version */
	uint64_t tag_id;
	struct slice argument;
	int32_t points;        /* for LEAD_POINTS, like `message` */
	struct slice message;  /* may be absent; so may made_by */
	struct slice made_by;  /* as in struct lead_change */
	struct slice lead_ids; /* engine/id_list.h */
	uint32_t position, total;
	uint32_t failures;        /* in a row, at this position */
	int64_t delayed_until_ms; /* 0: not delayed */
	int64_t created_ms;
};
/* Finds the oldest job that is not delayed: of the account that was served longest ago, and of the campaign of this account
 * that was served longest ago. RESULT_NOT_FOUND: none. */
MUST_CHECK enum result store_next_job(struct store *store, struct pool *pool, struct bulk_job *job);
/* Counts a failure at `position`, where `failures` were counted before, and delays the job by `delay_ms`; its campaign and
 * account then count as served. Does nothing if another process has moved or delayed the job. */
MUST_CHECK enum result store_delay_job(
    struct store *store, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms);
/* Delays the job without counting a failure; its campaign and account then count as served. */
MUST_CHECK enum result store_postpone_job(struct store *store, uint64_t job_id, int64_t delay_ms);
/* Skips the item at `position`, which cannot be done. Does nothing if another process has moved the job. */
MUST_CHECK enum result store_skip_job_item(struct store *store, uint64_t job_id, uint32_t position);

/* The unfinished jobs of a campaign, in the order in which they will be done, at most `limit`. */
MUST_CHECK enum result store_list_bulk_jobs(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct bulk_job **jobs, size_t *count);
