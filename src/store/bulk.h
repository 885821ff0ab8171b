/* SPDX-License-Identifier: MIT
 * Queued bulk work (docs/api.md 4.1). Functions fail as described in store.h. */
#pragma once

#include "store/store.h"

struct bulk_request {
	uint64_t account_id, campaign_id; /* the campaign and its account */
	uint32_t account_jobs;            /* maximum number of the account's queued jobs; 0: any number */
	enum lead_action action;
	/* LEAD_TAG: at least one tag, each once. Each becomes a job. */
	const uint64_t *tag_ids;
	size_t tag_count;
	struct slice argument; /* as in struct lead_change; so are the next two */
	int32_t points;
	struct slice message;
	const struct lead_reference *leads;
	size_t lead_count;    /* at most BULK_LEADS_MAX */
	struct slice made_by; /* at most 255 bytes; absent: no one */
	bool referrers;       /* change the referrers of the leads instead, as they are at the time of this call */
};
enum { BULK_LEADS_MAX = 250 };
struct bulk_queued {
	size_t leads;    /* existing leads, or their referrers; 0: there are none, and nothing is queued */
	uint64_t job_id; /* the first job; the ids of the others follow it */
};
/* Queues the jobs for the leads, or for their referrers, in one transaction. RESULT_NOT_FOUND: there are no such leads.
 * RESULT_TOO_MANY: the account would have more than its maximum of jobs. In both cases nothing is queued. */
MUST_CHECK enum result store_queue_bulk(struct store *store, const struct precondition *precondition,
    const struct bulk_request *request, struct bulk_queued *queued);

/* ---- inside src/store ---- */

/* Records, in the transaction that moves or delays a job, that its campaign was served. The job must still exist. */
MUST_CHECK enum result store_note_job_served(struct store *store, uint64_t job_id);

/* Inserts a job, or one for each of the request's tags, in a transaction: `lead_ids` is a list of engine/id_list.h with `count`
 * ids. Sets *first_id to the id of the first one. RESULT_TOO_MANY: the account would have more than its maximum of jobs. */
MUST_CHECK enum result store_insert_jobs(struct store *store, struct pool *pool, const struct bulk_request *request,
    struct slice lead_ids, size_t count, uint64_t *first_id);
