/* SPDX-License-Identifier: MIT
 * Ranks, read from the histogram (engine/rank.h) and kept as long as no lead of the campaign has changed. Most leads share
 * their score with others, so a look-up seldom has to ask; and where all scores differ, their nodes' upper levels are the same.
 */
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
	NODE_BITS = 13, /* of their number: a million scores in a row have 4,369 nodes on these levels */
	NODES_MAX = 1 << NODE_BITS,
	NODE_LEVELS = RANK_LEVELS - 1 /* on the last one there are too many */
};

/* Each stands where its campaign and score, or its number, say, instead of what stood there. */
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

/* What is asked for, and when. */
struct question {
	uint64_t campaign_id, version;
	int64_t now_ms;
};

static struct cached_rank *
rank_place(struct rank_cache *known, const struct question *question, uint32_t score)
{
	return &known->ranks[(question->campaign_id * 131 + score) % RANKS_MAX];
}

static bool
is_rank_cached(const struct cached_rank *rank, const struct question *question, uint32_t score)
{
	return rank->campaign_id == question->campaign_id && rank->score == score &&
	       cache_is_valid(rank->version, question->version, rank->read_ms, question->now_ms, STORE_FRESH_MS);
}

static struct cached_node *
node_place(struct rank_cache *known, uint64_t node)
{
	const uint64_t golden = 0x9e3779b97f4a7c15; /* 2^64 times the golden section: numbers in a row fall far apart */
	return &known->nodes[node * golden >> (64 - NODE_BITS)];
}

/* NULL: it has to be read. */
static const struct rank_node *
cached_node(struct rank_cache *known, const struct question *question, uint64_t node)
{
	const struct cached_node *place = node_place(known, node);
	bool there = place->node.node == node &&
		     cache_is_valid(place->version, question->version, place->read_ms, question->now_ms, STORE_FRESH_MS);
	return there ? &place->node : NULL;
}

/* Nodes that are read, by number, each once; those without a row count nobody. */
struct reading {
	struct rank_node *nodes;
	size_t count;
	uint64_t version; /* of the campaign's leads, at that moment */
};

static enum result
read_nodes(
    struct store *store, struct pool *pool, const struct question *question, struct db_list numbers, struct reading *reading)
{
	struct db_rows found;
	size_t row_count;
	enum result result = db_query(store->db, pool, &sql_select_histogram_and_version,
	    &DB_LIST_AND_VALUES(numbers, DB_U64(question->campaign_id)), &found);
	if (result != RESULT_OK)
		return result;
	if (found.count == 0)
		return RESULT_NOT_FOUND;
	const struct rank_node *rows = store_nodes_from_rows(pool, &found, &row_count);
	*reading = (struct reading){ .nodes = POOL_ARRAY(pool, numbers.count, struct rank_node),
		.version = db_get_u64(&found, 0, HISTOGRAM_LEADS_VERSION) };
	for (size_t i = 0; i < numbers.count; i++) {
		uint64_t number = numbers.values[i].as.u64;
		const struct rank_node *row = rank_find(rows, row_count, number);
		reading->nodes[reading->count++] = row != NULL ? *row : (struct rank_node){ .node = number };
	}
	return RESULT_OK;
}

/* How many leads have a higher score, by nodes that are known or were read. */
static uint64_t
leads_above(struct rank_cache *known, const struct question *question, const struct reading *reading, uint32_t score)
{
	struct rank_place places[RANK_LEVELS];
	struct rank_node nodes[RANK_LEVELS];
	size_t count = 0;
	rank_places(question->campaign_id, score, places);
	for (size_t level = 0; level < RANK_LEVELS; level++) {
		const struct rank_node *node = cached_node(known, question, places[level].node);
		if (node == NULL)
			node = rank_find(reading->nodes, reading->count, places[level].node);
		if (node != NULL)
			nodes[count++] = *node;
	}
	return rank_leads_above(nodes, count, question->campaign_id, score);
}

/* Of the ranks that are 0, which nodes have to be read. */
static struct db_list
missing_nodes(
    const struct store *store, struct pool *pool, const struct question *question, const struct rank *ranks, size_t count)
{
	uint64_t *numbers = POOL_ARRAY(pool, count * RANK_LEVELS, uint64_t);
	size_t missing = 0;
	for (size_t i = 0; i < count; i++) {
		struct rank_place places[RANK_LEVELS];
		if (ranks[i].rank != 0)
			continue;
		rank_places(question->campaign_id, ranks[i].score, places);
		for (size_t level = 0; level < RANK_LEVELS; level++)
			if (cached_node(store->rank_cache, question, places[level].node) == NULL)
				numbers[missing++] = places[level].node;
	}
	return store_id_list(pool, numbers, missing);
}

static void
keep(struct rank_cache *known, const struct question *question, const struct rank *ranks, size_t count,
    const struct reading *reading)
{
	const uint64_t lower = rank_level_start(question->campaign_id, NODE_LEVELS);
	for (size_t i = 0; i < count; i++) {
		struct cached_rank *place = rank_place(known, question, ranks[i].score);
		if (!is_rank_cached(place, question, ranks[i].score))
			*place = (struct cached_rank){ question->campaign_id, question->version, ranks[i].rank,
				question->now_ms, ranks[i].score };
	}
	for (size_t i = 0; i < reading->count && reading->nodes[i].node < lower; i++)
		*node_place(known, reading->nodes[i].node) =
		    (struct cached_node){ question->version, question->now_ms, reading->nodes[i] };
}

/* At most RANKS_AT_ONCE. */
static enum result
rank_some(struct store *store, struct pool *pool, const struct question *question, struct rank *ranks, size_t count)
{
	struct reading reading;
	for (size_t i = 0; i < count; i++) {
		const struct cached_rank *known = rank_place(store->rank_cache, question, ranks[i].score);
		ranks[i].rank = is_rank_cached(known, question, ranks[i].score) ? known->rank : 0;
	}
	struct db_list missing = missing_nodes(store, pool, question, ranks, count);
	if (missing.count == 0)
		return RESULT_OK;
	enum result result = read_nodes(store, pool, question, missing, &reading);
	if (result != RESULT_OK)
		return result;
	if (reading.version != question->version)
		return RESULT_CONFLICT;
	for (size_t i = 0; i < count; i++)
		if (ranks[i].rank == 0)
			ranks[i].rank = 1 + leads_above(store->rank_cache, question, &reading, ranks[i].score);
	keep(store->rank_cache, question, ranks, count, &reading);
	return RESULT_OK;
}

enum result
store_rank(
    struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, struct rank *ranks, size_t count)
{
	enum { RANKS_AT_ONCE = DB_LIST_MAX / RANK_LEVELS };
	const struct question question = { campaign_id, leads_version, clock_monotonic_ms() };
	enum result result = RESULT_OK;
	if (store->rank_cache == NULL)
		store->rank_cache = memory_alloc(sizeof(*store->rank_cache));
	for (size_t i = 0; i < count && result == RESULT_OK; i += RANKS_AT_ONCE) {
		size_t some = count - i < RANKS_AT_ONCE ? count - i : RANKS_AT_ONCE;
		result = rank_some(store, pool, &question, ranks + i, some);
	}
	return result;
}
