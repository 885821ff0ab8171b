/* SPDX-License-Identifier: MIT
 * Nodes of histograms (engine/rank.h), for batches and look-ups, and the ranks that follow from them. Nodes are cached as long
 * as no other process changes a lead of the campaign. Most leads share their score with others, so few look-ups need a
 * statement; if all scores differ, they share the upper levels of the histogram. */
#include "store/rank_cache.h"

#include "base/panic.h"
#include "store/campaign_cache.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(
    sql_select_histogram_nodes, "SELECT node, " RANK_BUCKET_COLUMNS " FROM {prefix}score_histogram WHERE node IN ({list})");
DB_STATEMENT(sql_select_histogram_and_version,
    "SELECT h.node, " RANK_BUCKET_COLUMNS ", n.leads_version"
    " FROM (SELECT leads_version FROM {prefix}campaign_counters WHERE campaign_id = ?) n"
    " LEFT JOIN {prefix}score_histogram h ON h.node IN ({list})");

/* Columns of the statements. Only the second one returns the version, and NULL instead of a node if no node has a row. */
enum { NODE, BUCKETS, LEADS_VERSION = BUCKETS + RANK_BUCKETS };

enum { NODE_BITS = 13, NODES_MAX = 1 << NODE_BITS /* a million scores in a row have 4,369 nodes above the last level */ };

struct cached_node {
	uint64_t generation; /* the campaign's cached_campaign.nodes at that time */
	struct rank_node node;
};

/* Which nodes are wanted: those of one campaign at a version of its leads; campaign_id 0: those of any locked campaigns. */
struct node_source {
	uint64_t campaign_id, version;
};

/* A node's place follows from its number; a new node replaces the old one there. */
static struct cached_node *
place_of(struct store *store, uint64_t number)
{
	const uint64_t golden = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio: spreads consecutive numbers */
	if (store->cached_nodes == NULL)
		store->cached_nodes = memory_alloc(NODES_MAX * sizeof(*store->cached_nodes));
	return &store->cached_nodes[number * golden >> (64 - NODE_BITS)];
}

/* 0: nothing is cached for this source. */
static uint64_t
generation_of(const struct store *store, const struct node_source *source, uint64_t number)
{
	const struct cached_campaign *cached = store_cached_campaign(store, rank_campaign(number));
	bool is_current = cached != NULL && (source->campaign_id == 0 || cached->versions.leads == source->version);
	return is_current ? cached->nodes : 0;
}

/* NULL: not cached. */
static struct rank_node *
find_node(struct store *store, const struct node_source *source, uint64_t number)
{
	struct cached_node *place = place_of(store, number);
	bool is_valid =
	    place->node.node == number && place->generation != 0 && place->generation == generation_of(store, source, number);
	return is_valid ? &place->node : NULL;
}

static enum result
query_nodes(
    struct store *store, struct pool *pool, const struct node_source *source, struct db_list numbers, struct db_rows *rows)
{
	if (source->campaign_id == 0)
		return store_query_lists(store, pool, &sql_select_histogram_nodes, &numbers, 1, rows);
	enum result result = db_query(store->db, pool, &sql_select_histogram_and_version,
	    &DB_LIST_AND_VALUES(numbers, DB_U64(source->campaign_id)), rows);
	if (result != RESULT_OK)
		return result;
	if (rows->count == 0)
		return RESULT_NOT_FOUND;
	return db_get_u64(rows, 0, LEADS_VERSION) == source->version ? RESULT_OK : RESULT_CONFLICT;
}

/* Reads the missing nodes and caches them. A node without a row counts no leads. */
static enum result
read_nodes(struct store *store, struct pool *pool, const struct node_source *source, struct db_list missing,
    struct rank_node *nodes, size_t count)
{
	struct db_rows rows;
	enum result result = query_nodes(store, pool, source, missing, &rows);
	if (result != RESULT_OK)
		return result;
	for (size_t i = 0; i < rows.count; i++) {
		if (db_is_null(&rows, i, NODE))
			continue;
		struct rank_node *node = rank_find(nodes, count, db_get_u64(&rows, i, NODE));
		for (size_t bucket = 0; bucket < RANK_BUCKETS; bucket++)
			node->leads[bucket] = db_get_i64(&rows, i, BUCKETS + bucket);
	}
	for (size_t i = 0; i < missing.count; i++) {
		uint64_t number = missing.values[i].as.u64;
		*place_of(store, number) =
		    (struct cached_node){ generation_of(store, source, number), *rank_find(nodes, count, number) };
	}
	return RESULT_OK;
}

static enum result
find_nodes(
    struct store *store, struct pool *pool, const struct node_source *source, struct db_list numbers, struct rank_node **nodes)
{
	struct db_value *values = POOL_ARRAY(pool, numbers.count, struct db_value);
	struct db_list missing = { values, 0 };
	*nodes = POOL_ARRAY(pool, numbers.count, struct rank_node);
	for (size_t i = 0; i < numbers.count; i++) {
		const struct rank_node *cached = find_node(store, source, numbers.values[i].as.u64);
		(*nodes)[i] = cached != NULL ? *cached : (struct rank_node){ .node = numbers.values[i].as.u64 };
		if (cached == NULL)
			values[missing.count++] = numbers.values[i];
	}
	return missing.count == 0 ? RESULT_OK : read_nodes(store, pool, source, missing, *nodes, numbers.count);
}

enum result
store_locked_nodes(struct store *store, struct pool *pool, struct db_list numbers, struct rank_node **nodes)
{
	require(db_in_transaction(store->db));
	const struct node_source locked = { 0 };
	return find_nodes(store, pool, &locked, numbers, nodes);
}

void
store_note_nodes(struct store *store, const struct rank_node *changes, size_t count)
{
	require(!db_in_transaction(store->db));
	const struct node_source committed = { 0 };
	for (size_t i = 0; i < count; i++) {
		struct rank_node *node = find_node(store, &committed, changes[i].node);
		for (size_t bucket = 0; node != NULL && bucket < RANK_BUCKETS; bucket++)
			node->leads[bucket] += changes[i].leads[bucket];
	}
}

/* For at most RANKS_AT_ONCE ranks. */
static enum result
rank_some(struct store *store, struct pool *pool, const struct node_source *source, struct rank *ranks, size_t count)
{
	uint64_t *numbers = POOL_ARRAY(pool, count * RANK_LEVELS, uint64_t);
	struct rank_node *nodes;
	size_t used = 0;
	for (size_t i = 0; i < count; i++)
		if (i == 0 || ranks[i].score != ranks[i - 1].score)
			used += rank_nodes(source->campaign_id, ranks[i].score, numbers + used);
	const struct db_list list = store_id_list(pool, numbers, used);
	enum result result = find_nodes(store, pool, source, list, &nodes);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		ranks[i].rank = 1 + rank_leads_above(nodes, list.count, source->campaign_id, ranks[i].score);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		ranks[i].leads =
		    ranks[i].score == 0 ? 0 : rank_leads_at(nodes, list.count, source->campaign_id, ranks[i].score);
	return result;
}

enum result
store_rank(
    struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, struct rank *ranks, size_t count)
{
	enum { RANKS_AT_ONCE = DB_LIST_MAX / RANK_LEVELS };
	const struct node_source source = { campaign_id, leads_version };
	enum result result = RESULT_OK;
	for (size_t i = 0; i < count && result == RESULT_OK; i += RANKS_AT_ONCE) {
		size_t some = count - i < RANKS_AT_ONCE ? count - i : RANKS_AT_ONCE;
		result = rank_some(store, pool, &source, ranks + i, some);
	}
	return result;
}
