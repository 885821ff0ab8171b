/* SPDX-License-Identifier: MIT
 * Rebuilds the counts of leads by hour (docs/architecture.md 9.3), a thousand leads at a time under the lock of the campaign's
 * counters, while batches go on. Progress is in the database alone: any process can continue a rebuild, even two at once.
 * Internal to src/store and for the operator's command. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"

struct store;

/* Begins a rebuild. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_recount_hours(struct store *store, uint64_t campaign_id);
/* Does the next piece of a rebuild. *done: nothing is left. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_count_hours(struct store *store, uint64_t campaign_id, bool *done);
/* Deletes up to a thousand of the campaign's rows in `lead_hours` and in `lead_sources` each, in the caller's transaction.
 * *all: none are left. */
MUST_CHECK enum result store_drop_lead_counts(struct store *store, struct pool *pool, uint64_t campaign_id, bool *all);
/* For the dispatcher, at any time; works every ten minutes, or at once if the last call left something. Continues interrupted
 * rebuilds, and deletes the rows of removed webhooks and campaigns. */
MUST_CHECK enum result store_maintain_hours(struct store *store);
