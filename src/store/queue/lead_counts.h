/* SPDX-License-Identifier: MIT
 * Counts of leads by hour and by source (docs/architecture.md 9.3). Counts by hour are rebuilt on request, a thousand leads at
 * a time under the lock of the campaign's counters, while batches continue. Counts by source are made some time after the
 * sign-up, in the order of the leads' numbers. Progress is stored only in the database: any process can continue the work, even
 * two at once. */
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

/* Where the dispatcher is in the list of campaigns. Zero-initialized: at the beginning. */
struct source_pass {
	uint64_t campaign_id; /* campaigns up to this one had their turn */
	bool more;            /* one of them has more leads than it had in its turn */
};

/* Counts the leads of the next campaigns, a piece of each, in at most twenty transactions. *left: call again at once. May be
 * killed, and may be run by several dispatchers: each lead is counted once. */
MUST_CHECK enum result store_count_sources(struct store *store, struct source_pass *pass, bool *left);
