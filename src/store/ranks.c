/* SPDX-License-Identifier: MIT
 * Ranks, read from the histogram (core/rank.h) and kept as long as no lead of the campaign has changed. Most leads share their
 * score with others, so a look-up seldom has to ask; and where all scores differ, their nodes' upper levels are the same. */
#include "base/clock.h"
#include "store/private.h"

enum {
	RANKS_MAX = 1024,
	NODES_MAX = 1024,
	NODE_LEVELS = RANK_LEVELS - 2 /* below, there are too many of them */
};

/* Each stands where its campaign and score, or its number, say, instead of what stood there. */
struct known_rank {
	uint64_t campaign_id, version, rank;
	int64_t read_ms;
	uint32_t score;
};
struct known_node {
	uint64_t version;
	int64_t read_ms;
	struct rank_node node;
};

struct known {
	struct known_rank ranks[RANKS_MAX];
	struct known_node nodes[NODES_MAX];
};

/* What is asked for, and when. */
struct question {
	uint64_t campaign_id, version;
	int64_t now_ms;
};

static struct known_rank *
rank_place(struct known *known, const struct question *question, uint32_t score)
{
	return &known->ranks[(question->campaign_id * 131 + score) % RANKS_MAX];
}

static bool
is_rank_known(const struct known_rank *rank, const struct question *question, uint32_t score)
{
	return rank->campaign_id == question->campaign_id && rank->version == question->version && rank->score == score &&
	       question->now_ms - rank->read_ms < STORE_FRESH_MS;
}

static struct known_node *
node_place(struct known *known, uint64_t node)
{
	return &known->nodes[(rank_campaign(node) * 131 + node) % NODES_MAX];
}

static bool
is_node_known(const struct known_node *known, const struct question *question, uint64_t node)
{
	return known->node.node == node && known->version == question->version &&
	       question->now_ms - known->read_ms < STORE_FRESH_MS;
}

/* Nodes that are read, by number, each once; those without a row count nobody. */
struct reading {
	struct rank_node *nodes;
	size_t count;
};

static enum result
read_nodes(struct store *store, struct pool *pool, uint64_t *numbers, size_t count, struct reading *reading)
{
	struct rank_node *rows;
	size_t row_count;
	enum result result = store_read_histogram(store, pool, numbers, count, &rows, &row_count);
	*reading = (struct reading){ POOL_ARRAY(pool, count, struct rank_node), 0 };
	for (size_t i = 0; i < count && result == RESULT_OK; i++) { /* store_read_histogram has put them in order */
		if (i > 0 && numbers[i] == numbers[i - 1])
			continue;
		const struct rank_node *row = rank_find(rows, row_count, numbers[i]);
		reading->nodes[reading->count++] = row != NULL ? *row : (struct rank_node){ .node = numbers[i] };
	}
	return result;
}

/* How many leads have a higher score, by nodes that are known or were read. */
static uint64_t
leads_above(struct known *known, const struct question *question, const struct reading *reading, uint32_t score)
{
	struct rank_place places[RANK_LEVELS];
	struct rank_node nodes[RANK_LEVELS];
	size_t count = 0;
	rank_places(question->campaign_id, score, places);
	for (size_t level = 0; level < RANK_LEVELS; level++) {
		const struct known_node *place = node_place(known, places[level].node);
		const struct rank_node *node = level < NODE_LEVELS && is_node_known(place, question, places[level].node)
						   ? &place->node
						   : rank_find(reading->nodes, reading->count, places[level].node);
		if (node != NULL)
			nodes[count++] = *node;
	}
	return rank_leads_above(nodes, count, question->campaign_id, score);
}

/* Those that are 0. */
static enum result
read_ranks(struct store *store, struct pool *pool, const struct question *question, struct rank *ranks, size_t count,
    size_t missing, struct reading *reading)
{
	uint64_t *numbers = POOL_ARRAY(pool, missing * RANK_LEVELS, uint64_t);
	size_t number_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct rank_place places[RANK_LEVELS];
		if (ranks[i].rank != 0)
			continue;
		rank_places(question->campaign_id, ranks[i].score, places);
		for (size_t level = 0; level < RANK_LEVELS; level++)
			if (level >= NODE_LEVELS ||
			    !is_node_known(node_place(store->known, places[level].node), question, places[level].node))
				numbers[number_count++] = places[level].node;
	}
	enum result result = read_nodes(store, pool, numbers, number_count, reading);
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		if (ranks[i].rank == 0)
			ranks[i].rank = 1 + leads_above(store->known, question, reading, ranks[i].score);
	return result;
}

/* RESULT_CONFLICT: no, leads have changed since that version. */
static enum result
is_still(struct store *store, struct pool *pool, const struct question *question)
{
	struct campaign_versions versions;
	enum result result = store_find_versions(store, pool, question->campaign_id, &versions);
	return result == RESULT_OK && versions.leads != question->version ? RESULT_CONFLICT : result;
}

static void
keep(
    struct known *known, const struct question *question, const struct rank *ranks, size_t count, const struct reading *reading)
{
	const uint64_t lower = rank_level_start(question->campaign_id, NODE_LEVELS);
	for (size_t i = 0; i < count; i++) {
		struct known_rank *place = rank_place(known, question, ranks[i].score);
		if (!is_rank_known(place, question, ranks[i].score))
			*place = (struct known_rank){ question->campaign_id, question->version, ranks[i].rank, question->now_ms,
				ranks[i].score };
	}
	for (size_t i = 0; i < reading->count && reading->nodes[i].node < lower; i++)
		*node_place(known, reading->nodes[i].node) =
		    (struct known_node){ question->version, question->now_ms, reading->nodes[i] };
}

enum result
store_rank(struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, bool exact, struct rank *ranks,
    size_t count)
{
	const struct question question = { campaign_id, leads_version, clock_monotonic_ms() };
	struct reading reading;
	size_t missing = 0;
	if (store->known == NULL)
		store->known = memory_alloc(sizeof(*store->known));
	for (size_t i = 0; i < count; i++) {
		const struct known_rank *known = rank_place(store->known, &question, ranks[i].score);
		bool there = is_rank_known(known, &question, ranks[i].score);
		ranks[i].rank = there ? known->rank : 0;
		missing += !there;
	}
	if (missing == 0)
		return RESULT_OK;
	enum result result = read_ranks(store, pool, &question, ranks, count, missing, &reading);
	if (result == RESULT_OK && exact)
		result = is_still(store, pool, &question);
	if (result == RESULT_OK && exact)
		keep(store->known, &question, ranks, count, &reading);
	return result;
}
