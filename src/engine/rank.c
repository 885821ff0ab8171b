/* SPDX-License-Identifier: MIT */
#include "engine/rank.h"

#include <stdlib.h>

#include "base/panic.h"

/* Room for the nodes of one campaign: 1 + 16 + 256 and so on, 286,331,153 in all. */
enum { NODE_BITS = 29, BUCKET_BITS = 4, BUCKET_MASK = (1 << BUCKET_BITS) - 1 };

_Static_assert(CAMPAIGN_ID_MAX >> (64 - NODE_BITS) == 0, "the number of a node has room for the campaign");

uint64_t
rank_first_node(uint64_t campaign_id)
{
	require(campaign_id <= CAMPAIGN_ID_MAX);
	return campaign_id << NODE_BITS;
}

void
rank_places(uint64_t campaign_id, uint32_t score, struct rank_place places[RANK_LEVELS])
{
	uint64_t first = rank_first_node(campaign_id); /* of the level; 1 + 16 + 256 + … nodes precede it */
	for (unsigned level = 0; level < RANK_LEVELS; level++) {
		uint64_t bits = (uint64_t)score >> (BUCKET_BITS * (RANK_LEVELS - 1 - level));
		places[level] = (struct rank_place){ first + (bits >> BUCKET_BITS), (unsigned)(bits & BUCKET_MASK) };
		first += UINT64_C(1) << (BUCKET_BITS * level);
	}
}

size_t
rank_nodes(uint64_t campaign_id, uint32_t score, uint64_t nodes[RANK_LEVELS])
{
	struct rank_place places[RANK_LEVELS];
	rank_places(campaign_id, score, places);
	for (size_t i = 0; i < RANK_LEVELS; i++)
		nodes[i] = places[i].node;
	return RANK_LEVELS;
}

uint64_t
rank_campaign(uint64_t node)
{
	return node >> NODE_BITS;
}

static int
compare(const void *left, const void *right)
{
	const struct rank_node *a = left, *b = right;
	return (a->node > b->node) - (a->node < b->node);
}

void
rank_sort(struct rank_node *nodes, size_t count)
{
	if (count > 1)
		qsort(nodes, count, sizeof(*nodes), compare);
}

/* Whether the nodes are sorted by number, without duplicates. */
UNUSED static bool
is_sorted(const struct rank_node *nodes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (nodes[i - 1].node >= nodes[i].node)
			return false;
	return true;
}

struct rank_node *
rank_find(const struct rank_node *nodes, size_t count, uint64_t node)
{
	const struct rank_node key = { .node = node };
	return count == 0 ? NULL : bsearch(&key, nodes, count, sizeof(*nodes), compare);
}

uint64_t
rank_leads_above(const struct rank_node *nodes, size_t count, uint64_t campaign_id, uint32_t score)
{
	require(is_sorted(nodes, count));
	struct rank_place places[RANK_LEVELS];
	int64_t above = 0;
	rank_places(campaign_id, score, places);
	for (size_t level = 0; level < RANK_LEVELS; level++) {
		const struct rank_node *node = rank_find(nodes, count, places[level].node);
		for (size_t bucket = places[level].bucket + 1; node != NULL && bucket < RANK_BUCKETS; bucket++)
			above += node->leads[bucket];
	}
	return above < 0 ? 0 : (uint64_t)above;
}

uint64_t
rank_leads_at(const struct rank_node *nodes, size_t count, uint64_t campaign_id, uint32_t score)
{
	struct rank_place places[RANK_LEVELS];
	rank_places(campaign_id, score, places);
	const struct rank_place *last = &places[RANK_LEVELS - 1];
	const struct rank_node *node = rank_find(nodes, count, last->node);
	return node == NULL || node->leads[last->bucket] < 0 ? 0 : (uint64_t)node->leads[last->bucket];
}
