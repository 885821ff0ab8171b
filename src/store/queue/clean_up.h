/* SPDX-License-Identifier: MIT
 * Cleans up the database, for the dispatcher.
 *
 * Functions fail as described in store.h; all may be repeated. */
#pragma once

#include "db/db.h"
#include "store/store.h"

/* Records campaigns whose end time has passed; removes the rows of deleted leads, in chunks, and rows that have expired; queues
 * jobs for leads that did not verify their address in time; drops addresses and user agents of leads; makes the partitions of
 * coming days, and drops days older than the retention after ending their pending deliveries, at most one day at a time, every
 * few minutes (a failure of this part is logged and retried later); counts leads by hour where that has not been finished
 * (store/queue/lead_counts.h). Cheap when there is nothing to do. Only the dispatcher that leases the first shard calls it. */
MUST_CHECK enum result store_clean_up(struct store *store);

/* Refreshes the server's statistics of `due`, after polls that took long. */
MUST_CHECK enum result store_refresh_statistics(struct store *store);

/* For removals. Deletes up to a thousand rows of each kind that leads have in addition to their own rows and events, in a
 * transaction; with a lead's last rows, also its entry in `deleted_leads`. */
enum { LEFT_ENTRIES, LEFT_CALLS, LEFT_MESSAGES, LEFT_CODES, LEFT_KINDS };
struct left_rows {
	uint64_t counts[LEFT_KINDS]; /* how many rows were deleted */
	bool all;                    /* nothing is left */
};
MUST_CHECK enum result store_drop_left_rows(struct store *store, struct db_list leads, struct left_rows *dropped);
