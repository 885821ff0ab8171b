/* SPDX-License-Identifier: MIT
 * The rank of a score among the leads of its campaign that are not fraudulent, from a histogram that is stored as a tree: eight
 * levels for four bits of the score each, 16 buckets per node. Reading a rank takes one node per level, no matter how many
 * leads and scores there are. Leads with a score of 0 are not counted, because no lead ranks below them; so most sign-ups
 * change nothing here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_LEVELS = 8, RANK_BUCKETS = 16 };

/* Larger campaign ids would not fit in the numbers of nodes. */
#define CAMPAIGN_ID_MAX ((UINT64_C(1) << 35) - 1)

/* The bucket that counts a score at one level. The node's number includes the campaign. */
struct rank_place {
	uint64_t node;
	unsigned bucket;
};

/* The campaign's id is at most CAMPAIGN_ID_MAX. */
void rank_places(uint64_t campaign_id, uint32_t score, struct rank_place places[RANK_LEVELS]);
/* Sets `nodes` to the nodes of these places; returns RANK_LEVELS. */
size_t rank_nodes(uint64_t campaign_id, uint32_t score, uint64_t nodes[RANK_LEVELS]);
/* The first node of a campaign. Numbers increase with levels, and with campaigns. */
uint64_t rank_first_node(uint64_t campaign_id);
uint64_t rank_campaign(uint64_t node);

/* A row of the histogram: the counts of its buckets, or their changes. */
struct rank_node {
	uint64_t node;
	int64_t leads[RANK_BUCKETS];
};

/* Sorts nodes by number. */
void rank_sort(struct rank_node *nodes, size_t count);
struct rank_node *rank_find(const struct rank_node *nodes, size_t count, uint64_t node);

/* Returns the number of leads with a higher score. `nodes` are sorted and include all existing rows of the score's places. */
uint64_t rank_leads_above(const struct rank_node *nodes, size_t count, uint64_t campaign_id, uint32_t score);
/* Returns the number of leads with this score, which must not be 0. */
uint64_t rank_leads_at(const struct rank_node *nodes, size_t count, uint64_t campaign_id, uint32_t score);
