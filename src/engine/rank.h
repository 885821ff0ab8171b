/* SPDX-License-Identifier: MIT
 * The rank of a score among the leads of its campaign that are not fraudulent, from a histogram that is kept as a tree: eight
 * levels, four bits of the score each, 16 slots a node. A rank is read from one node a level, however many leads and
 * distinct scores there are. Leads with a score of 0 are above nobody and left out: most sign-ups change nothing here. */
#ifndef LEADHOOK_ENGINE_RANK_H
#define LEADHOOK_ENGINE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_LEVELS = 8, RANK_SLOTS = 16 };

/* Where a score is counted at one level. The node's number also says which campaign's it is. */
struct rank_place {
	uint64_t node;
	unsigned slot;
};

/* Campaign ids are below 2^35. */
void rank_places(uint64_t campaign_id, uint32_t score, struct rank_place places[RANK_LEVELS]);
/* The first node of a campaign; those of the next begin behind its last. And the first of one of its levels: their numbers
 * go up with the levels. */
uint64_t rank_first_node(uint64_t campaign_id);
uint64_t rank_level_start(uint64_t campaign_id, unsigned level);
uint64_t rank_campaign(uint64_t node);

/* A row of the histogram: how many leads each slot counts; or by how many that changes. */
struct rank_node {
	uint64_t node;
	int64_t leads[RANK_SLOTS];
};

/* By number; and the one with a number among nodes in that order, or NULL. */
void rank_sort(struct rank_node *nodes, size_t count);
/* Each number once, too. */
bool rank_is_sorted(const struct rank_node *nodes, size_t count);
struct rank_node *rank_find(const struct rank_node *nodes, size_t count, uint64_t node);

/* How many leads have a higher score. `nodes` are at least those of the score's places, as far as they have rows, by number. */
uint64_t rank_leads_above(const struct rank_node *nodes, size_t count, uint64_t campaign_id, uint32_t score);

#endif
