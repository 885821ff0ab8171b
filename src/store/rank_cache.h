/* SPDX-License-Identifier: MIT
 * Ranks, and nodes of the histogram of scores, which are cached under the version of the leads of their campaign.
 *
 * The store owns the cache; the nodes returned are copies in the caller's pool. Reading from the database can fail like any use
 * of the connection. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "engine/rank.h"
#include "store/store.h"

/* Nodes of histograms, inside a transaction that has locked the counters of their campaigns, which must be cached. `numbers`
 * are sorted and distinct; so are the nodes, which include nodes without a row. */
MUST_CHECK enum result store_locked_nodes(
    struct store *store, struct pool *pool, struct db_list numbers, struct rank_node **nodes);
/* Updates the cached nodes after the commit of a batch with these changes. */
void store_note_nodes(struct store *store, const struct rank_node *changes, size_t count);

/* The ranks of scores in a campaign, from 1; `leads_version` was read before. RESULT_CONFLICT: leads have changed since; read
 * everything that depends on that version again. */
struct rank {
	uint32_t score;
	uint64_t rank;
	uint64_t leads; /* number of counted leads with this score; 0 for a score of 0 */
};
MUST_CHECK enum result store_rank(
    struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, struct rank *ranks, size_t count);
