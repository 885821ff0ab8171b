/* SPDX-License-Identifier: MIT
 * Deletes the rows of leads, and the contents of events, for erasures and removals. Internal to src/store/removal. */
#pragma once

#include "db/db.h"
#include "store/removal/removal.h"

/* Deletes what these leads have besides their own rows and events: the ledger, messages, calls of inbound webhooks, codes. In
 * transactions of its own. */
MUST_CHECK enum result store_delete_rows_of_leads(struct store *store, struct db_list leads, struct removal_counts *counts);

struct found_event {
	uint64_t id, deliveries; /* its deliveries have the next ids */
};
/* Deletes the deliveries of these events, and empties the events: one may be the mark of a batch whose COMMIT is unknown
 * (store/mark.h). Runs inside the caller's transaction. */
MUST_CHECK enum result store_empty_events(
    struct store *store, struct pool *pool, const struct found_event *events, size_t count, struct removal_counts *counts);
/* Of `referral` events: they no longer name the referred lead, nor do the receivers' answers. Their deliveries stay. Runs
 * inside the caller's transaction. */
MUST_CHECK enum result store_clear_referrals(
    struct store *store, struct pool *pool, const struct found_event *events, size_t count, struct removal_counts *counts);
