/* SPDX-License-Identifier: MIT
 * Leads as payloads and leaderboards show them: the most frequent reads. Functions fail as described in store.h; results are in
 * the caller's pool. */
#pragma once

#include "store/store.h"

/* A lead as its payload shows it, at the time of one statement: the lead, its campaign's counters and settings, its rank. Only
 * the fields of the lead that payloads and lists show are filled. Campaign and definitions of a subject are valid until the
 * next look-up or command. RESULT_NOT_FOUND: no such lead in this campaign. */
MUST_CHECK enum result store_look_up(struct store *store, struct pool *pool, uint64_t campaign_id,
    const struct lead_reference *reference, struct payload_subject **subject);
/* A look-up: GET on a campaign, or `me` of a leaderboard. */
struct look_up {
	uint64_t campaign_id;
	struct lead_reference reference;
	struct payload_view view;
	bool standing; /* the entry that leaderboards show, instead of the whole lead */
	struct standing_style style;
};
/* Answers look-ups with one statement for each way to name a lead, however many look-ups there are. Always fills every outcome;
 * bodies are in the pool. The versions in an outcome are those at the time of reading: a leaderboard that was read with the
 * same versions is still valid. */
void store_answer_look_ups(
    struct store *store, struct pool *pool, const struct look_up *const *look_ups, size_t count, struct outcome *outcomes);
/* As store_look_up, for the leads of a page, which must stay valid as long as the subjects. */
MUST_CHECK enum result store_show_leads(struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead *leads,
    size_t count, struct payload_subject **subjects);

MUST_CHECK enum result store_find_versions(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct campaign_versions *versions);
/* The first `limit` leads that are not fraudulent, by score, then by sign-up. Only numbers, social ids, scores, and the fields
 * that names and avatars are made of are filled. */
MUST_CHECK enum result store_leaderboard(
    struct store *store, struct pool *pool, uint64_t campaign_id, size_t limit, struct lead **leads, size_t *count);
