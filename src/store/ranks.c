/* SPDX-License-Identifier: MIT
 * Ranks, read from the histogram (core/rank.h) and kept as long as no lead of the campaign has changed. Most leads share their
 * score with others, so a look-up seldom has to ask. */
#include "base/clock.h"
#include "store/private.h"

/* A rank stands where its campaign and score say, instead of what stood there. */
enum { KNOWN_MAX = 1024 };

struct known_rank {
	uint64_t campaign_id, version, rank;
	int64_t read_ms;
	uint32_t score;
};

static struct known_rank *
place_of(const struct store *store, uint64_t campaign_id, uint32_t score)
{
	return &store->known_ranks[(campaign_id * 131 + score) % KNOWN_MAX];
}

static bool
is_known(const struct known_rank *known, uint64_t campaign_id, uint64_t version, uint32_t score, int64_t now_ms)
{
	return known->campaign_id == campaign_id && known->version == version && known->score == score &&
	       now_ms - known->read_ms < STORE_FRESH_MS;
}

/* Those that are 0. */
static enum result
read_ranks(struct store *store, struct pool *pool, uint64_t campaign_id, struct rank *ranks, size_t count, size_t missing)
{
	uint64_t *nodes = POOL_ARRAY(pool, missing * RANK_LEVELS, uint64_t);
	size_t node_count = 0, row_count;
	struct rank_node *rows;
	for (size_t i = 0; i < count; i++) {
		struct rank_place places[RANK_LEVELS];
		if (ranks[i].rank != 0)
			continue;
		rank_places(campaign_id, ranks[i].score, places);
		for (size_t level = 0; level < RANK_LEVELS; level++)
			nodes[node_count++] = places[level].node;
	}
	enum result result = store_read_histogram(store, pool, nodes, node_count, &rows, &row_count);
	for (size_t i = 0; i < count; i++)
		if (ranks[i].rank == 0)
			ranks[i].rank = 1 + rank_leads_above(rows, row_count, campaign_id, ranks[i].score);
	return result;
}

/* RESULT_CONFLICT: no, leads have changed since that version. */
static enum result
is_still(struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version)
{
	struct campaign_versions versions;
	enum result result = store_find_versions(store, pool, campaign_id, &versions);
	return result == RESULT_OK && versions.leads != leads_version ? RESULT_CONFLICT : result;
}

enum result
store_rank(struct store *store, struct pool *pool, uint64_t campaign_id, uint64_t leads_version, bool exact, struct rank *ranks,
    size_t count)
{
	size_t missing = 0;
	int64_t now_ms = clock_monotonic_ms();
	if (store->known_ranks == NULL)
		store->known_ranks = memory_alloc(KNOWN_MAX * sizeof(*store->known_ranks));
	for (size_t i = 0; i < count; i++) {
		const struct known_rank *known = place_of(store, campaign_id, ranks[i].score);
		bool there = is_known(known, campaign_id, leads_version, ranks[i].score, now_ms);
		ranks[i].rank = there ? known->rank : 0;
		missing += !there;
	}
	if (missing == 0)
		return RESULT_OK;
	enum result result = read_ranks(store, pool, campaign_id, ranks, count, missing);
	if (result == RESULT_OK && exact)
		result = is_still(store, pool, campaign_id, leads_version);
	for (size_t i = 0; i < count && result == RESULT_OK && exact; i++) {
		struct known_rank *place = place_of(store, campaign_id, ranks[i].score);
		if (!is_known(place, campaign_id, leads_version, ranks[i].score, now_ms))
			*place = (struct known_rank){ campaign_id, leads_version, ranks[i].rank, now_ms, ranks[i].score };
	}
	return result;
}
