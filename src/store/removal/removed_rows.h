/* SPDX-License-Identifier: MIT
 * Deletes the rows of leads, and the contents of events, for erasures and removals. Only for src/store/removal, except for the
 * counts. */
#pragma once

#include "db/db.h"
#include "store/store.h"

/* What a removal has deleted so far. */
struct removal_counts {
	uint64_t leads;
	uint64_t claims;                 /* in an erasure: leads of others that no longer claim the address */
	uint64_t events, pending, ended; /* events, and their deliveries */
	uint64_t messages, calls;        /* messages to leads, logged calls of inbound webhooks */
	uint64_t confirmations, jobs;    /* in an erasure: those that contain the address and do not belong to the leads */
};

/* Deletes everything that these leads have in addition to their own rows and events: the ledger, messages, calls of inbound
 * webhooks, codes. Uses transactions of its own. */
MUST_CHECK enum result store_delete_rows_of_leads(struct store *store, struct db_list leads, struct removal_counts *counts);

/* Runs a statement that deletes rows with these ids, and adds their number to the counter. */
MUST_CHECK enum result store_delete_counted(
    struct store *store, const struct db_statement *statement, const struct db_value *ids, size_t count, uint64_t *counter);

struct found_event {
	uint64_t id, deliveries; /* its deliveries have the ids after its own */
};
/* Deletes the deliveries of these events, and empties the events: one may be the mark of a batch whose COMMIT is unknown
 * (store/commit_marks.h). Runs inside the caller's transaction. */
MUST_CHECK enum result store_empty_events(
    struct store *store, struct pool *pool, const struct found_event *events, size_t count, struct removal_counts *counts);
/* Removes the referred lead from `referral` events, and from the receivers' answers to them. Their deliveries stay. Runs inside
 * the caller's transaction. */
MUST_CHECK enum result store_clear_referrals(
    struct store *store, struct pool *pool, const struct found_event *events, size_t count, struct removal_counts *counts);
