/* SPDX-License-Identifier: MIT
 * Ranks, computed from the histogram (engine/rank.h) and cached while no lead of the campaign changes. Most leads share their
 * score with others, so few look-ups need a statement; where all scores differ, they share the upper levels of the
 * histogram. */
#include "base/cache.h"
#include "base/clock.h"
#include "store/private.h"

DB_STATEMENT(sql_select_histogram_and_version,
    "SELECT h.node, " RANK_SLOT_COLUMNS ", n.leads_version"
    " FROM (SELECT leads_version FROM {prefix}campaign_counters WHERE campaign_id = ?) n"
    " LEFT JOIN {prefix}score_histogram h ON h.node IN ({list})");

store_statement_list sql_of_rank_cache = { &sql_select_histogram_and_version, NULL };

enum {
	RANKS_MAX = 1024,
	NODE_BITS = 13, /* bits of a node's number: a million scores in a row have 4,369 nodes on these levels */
	NODES_MAX = 1 << NODE_BITS,
	NODE_LEVELS = RANK_LEVELS - 1 /* the last level has too many */
};

/* An entry's place follows from its campaign and score, or its number; a new entry replaces the old one there. */
struct cached_rank {
	uint64_t campaign_id, version, rank;
	int64_t read_ms;
	uint32_t score;
};
struct cached_node {
	uint64_t version;
	int64_t read_ms;
	struct rank_node node;
};

struct rank_cache {
	struct cached_rank ranks[RANKS_MAX];
	struct cached_node nodes[NODES_MAX];
};

/* The campaign, its version, and the time of the query. */
struct rank_query {
	uint64_t campaign_id, version;
	int64_t now_ms;
};

static struct cached_rank *
rank_place(struct rank_cache *cache, const struct rank_query *query, uint32_t score)
{
	return &cache->ranks[(query->campaign_id * 131 + score) % RANKS_MAX];
}

static bool
is_rank_cached(const struct cached_rank *rank, const struct rank_query *query, uint32_t score)
{
	return rank->campaign_id == query->campaign_id && rank->score == score &&
	       cache_is_valid(rank->version, query->version, rank->read_ms, query->now_ms, STORE_FRESH_MS);
}

static struct cached_node *
node_place(struct rank_cache *cache, uint64_t node)
{
	const uint64_t golden = 0x9e3779b97f4a7c15; /* 2^64 divided by the golden ratio: spreads consecutive numbers */
	return &cache->nodes[node * golden >> (64 - NODE_BITS)];
}

/* NULL: not cached. */
static const struct rank_node *
cached_node(struct rank_cache *cache, const struct rank_query *query, uint64_t node)
{
	const struct cached_node *place = node_place(cache, node);
	bool there = place->node.node == node &&
		     cache_is_valid(place->version, query->version, place->read_ms, query->now_ms, STORE_FRESH_MS);
	return there ? &place->node : NULL;
}

/* Nodes that were read, by number, without duplicates; those without a row count no leads. */
struct node_rows {
	struct rank_node *nodes;
	size_t count;
	uint64_t version; /* of the campaign's leads, when they were read */
};

static enum result
read_nodes(
    struct store *store, struct pool *pool, const struct rank_query *query, struct db_list numbers, struct node_rows *read)
{
	struct db_rows found;
	size_t row_count;
	enum result result = db_query(store->db, pool, &sql_select_histogram_and_version,
	    &DB_LIST_AND_VALUES(numbers, DB_U64(query->campaign_id)), &found);
	if (result != RESULT_OK)
		return result;
	if (found.count == 0)
		return RESULT_NOT_FOUND;
	const struct rank_node *rows = store_nodes_from_rows(pool, &found, &row_count);
	*read = (struct node_rows){ .nodes = POOL_ARRAY(pool, numbers.count, struct rank_node),
		.version = db_get_u64(&found, 0, HISTOGRAM_LEADS_VERSION) };
	for (size_t i = 0; i < numbers.count; i++) {
		uint64_t number = numbers.values[i].as.u64;
		const struct rank_node *row = rank_find(rows, row_count, number);
		read->nodes[read->count++] = row != NULL ? *row : (struct rank_node){ .node = number };
	}
	return RESULT_OK;
}

/* How many leads have a higher score, from nodes that are cached or were read. */
static uint64_t
leads_above(struct rank_cache *cache, const struct rank_query *query, const struct node_rows *read, uint32_t score)
{
	struct rank_place places[RANK_LEVELS];
	struct rank_node nodes[RANK_LEVELS];
	size_t count = 0;
	rank_places(query->campaign_id, score, places);
	for (size_t level = 0; level < RANK_LEVELS; level++) {
		const struct rank_node *node = cached_node(cache, query, places[level].node);
		if (node == NULL)
			node = rank_find(read->nodes, read->count, places[level].node);
		if (node != NULL)
			nodes[count++] = *node;
	}
	return rank_leads_above(nodes, count, query->campaign_id, score);
}

/* The nodes that must be read for the ranks that are 0. */
static struct db_list
missing_nodes(
    const struct store *store, struct pool *pool, const struct rank_query *query, const struct rank *ranks, size_t count)
{
	uint64_t *numbers = POOL_ARRAY(pool, count * RANK_LEVELS, uint64_t);
	size_t missing = 0;
	for (size_t i = 0; i < count; i++) {
		struct rank_place places[RANK_LEVELS];
		if (ranks[i].rank != 0)
			continue;
		rank_places(query->campaign_id, ranks[i].score, places);
		for (size_t level = 0; level < RANK_LEVELS; level++)
			if (cached_node(store->rank_cache, query, places[level].node) == NULL)
				numbers[missing++] = places[level].node;
	}
	return store_id_list(pool, numbers, missing);
}

static void
cache_ranks(struct rank_cache *cache, const struct rank_query *query, const struct rank *ranks, size_t count,
    const struct node_rows *read)
{
	const uint64_t lower = rank_level_start(query->campaign_id, NODE_LEVELS);
	for (size_t i = 0; i < count; i++) {
		struct cached_rank *place = rank_place(cache, query, ranks[i].score);
		if (!is_rank_cached(place, query, ranks[i].score))
			*place = (struct cached_rank){ query->campaign_id, query->version, ranks[i].rank, query->now_ms,
				ranks[i].score };
	}
	for (size_t i = 0; i < read->count && read->nodes[i].node < lower; i++)
		*node_place(cache, read->nodes[i].node) = (struct cached_node){ query->version, query->now_ms, read->nodes[i] };
}

/* For at most RANKS_AT_ONCE ranks. */
static enum result
rank_some(struct store *store, struct pool *pool, const struct rank_query *query, struct rank *ranks, size_t count)
{
	struct node_rows read;
	for (size_t i = 0; i < count; i++) {
		const struct cached_rank *cached = rank_place(store->rank_cache, query, ranks[i].score);
		ranks[i].rank = is_rank_cached(cached, query, ranks[i].score) ? cached->rank : 0;
	}
	struct db_list missing = missing_nodes(store, pool, query, ranks, count);
	if (missing.count == 0)
		return RESULT_OK;
	enum result result = read_nodes(store, pool, query, missing, &read);
	if (result != RESULT_OK)
		return result;
	if (read.version != query->version)
		return RESULT_CONFLICT;
	for (size_t i = 0; i < count; i++)
		if (ranks[i].rank == 0)
			ranks[i].rank = 1 + leads_above(store->rank_cache, query, &read, ranks[i].score);
	cache_ranks(store->rank_cache, query, ranks, count, &read);
	return RESULT_OK;
}

enum result
store_rank(
    struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, struct rank *ranks, size_t count)
{
	enum { RANKS_AT_ONCE = DB_LIST_MAX / RANK_LEVELS };
	const struct rank_query query = { campaign_id, leads_version, clock_monotonic_ms() };
	enum result result = RESULT_OK;
	if (store->rank_cache == NULL)
		store->rank_cache = memory_alloc(sizeof(*store->rank_cache));
	for (size_t i = 0; i < count && result == RESULT_OK; i += RANKS_AT_ONCE) {
		size_t some = count - i < RANKS_AT_ONCE ? count - i : RANKS_AT_ONCE;
		result = rank_some(store, pool, &query, ranks + i, some);
	}
	return result;
}
