/* SPDX-License-Identifier: MIT
 * What the batch and the queue of bulk jobs share. It returns the result of the connection. */
#pragma once

#include "store/store.h"

/* Records, in the transaction that moves or delays a job, that its campaign was served. The job must still exist. */
MUST_CHECK enum result store_note_job_served(struct store *store, uint64_t job_id);

/* Inserts a job, or one for each of the request's tags, in a transaction: `lead_ids` is a list of engine/id_list.h with `count`
 * ids. *first_id: of the first one. RESULT_TOO_MANY: the account would have more than its maximum of jobs. */
MUST_CHECK enum result store_insert_jobs(struct store *store, struct pool *pool, const struct bulk_request *request,
    struct slice lead_ids, size_t count, uint64_t *first_id);
