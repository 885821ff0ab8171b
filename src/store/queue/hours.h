/* SPDX-License-Identifier: MIT
 * Counts of leads by the hour of their sign-up (docs/architecture.md 9.3): counted again piece by piece, each under the lock of
 * the campaign's counters, while batches go on. It depends on the rows alone: any process may go on with it, also two at once.
 * Internal to src/store and for the operator's command. */
#ifndef LEADHOOK_STORE_QUEUE_HOURS_H
#define LEADHOOK_STORE_QUEUE_HOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"

struct store;

/* All leads of the campaign are to be counted again. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_recount_hours(struct store *store, uint64_t campaign_id);
/* Counts a piece of what is to be counted. *done: nothing is left. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_count_hours(struct store *store, uint64_t campaign_id, bool *done);
/* Deletes a thousand rows of the campaign in `lead_hours`, and as many in `lead_sources`, in a transaction of the caller. *all:
 * none are left. */
MUST_CHECK enum result store_drop_lead_counts(struct store *store, struct pool *pool, uint64_t campaign_id, bool *all);
/* The dispatcher's part, every ten minutes, or at once where it was not finished: counts the leads of campaigns that are not
 * counted, or that programs of an earlier version have changed; deletes the rows of webhooks and campaigns that were removed.
 */
MUST_CHECK enum result store_maintain_hours(struct store *store);

#endif
