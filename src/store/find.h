/* SPDX-License-Identifier: MIT
 * Reads: keys, campaigns, single leads, definitions. Functions fail as described in store.h; results are in the caller's
 * pool. */
#pragma once

#include "store/store.h"

enum { KEY_CAMPAIGNS_MAX = 32 };

struct api_key {
	uint64_t id, account_id;
	bool account_suspended;
	int64_t account_per_minute; /* limit on calls; 0: any number; -1: as in the setting */
	int64_t last_used_ms;       /* to the hour */
	int64_t now_ms;
	int64_t expires_ms; /* -1: it has no end */
	rights rights;
	uint32_t campaign_count; /* number of `campaigns`; 0: all campaigns of the account */
	uint64_t campaigns[KEY_CAMPAIGNS_MAX];
};
/* Whether the key is valid for this campaign, if the campaign belongs to its account. */
static inline bool
api_key_covers(const struct api_key *key, uint64_t campaign_id)
{
	for (uint32_t i = 0; i < key->campaign_count; i++)
		if (key->campaigns[i] == campaign_id)
			return true;
	return key->campaign_count == 0;
}

/* Finds a key that is neither revoked nor expired, by the SHA-256 of its text. RESULT_NOT_FOUND: there is none. */
MUST_CHECK enum result store_find_key(struct store *store, const unsigned char hash[32], struct api_key *key);
/* Records that the key was used, to the hour. Does nothing if that is already recorded. */
MUST_CHECK enum result store_touch_key(struct store *store, const struct api_key *key);

/* With its counters. *now_ms is set to the database's time. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_find_campaign(
    struct store *store, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms);
/* A part of a list by id: at most `limit` rows, with ids above `after`. */
struct list_part {
	uint64_t after;
	size_t limit;
};
#define LIST_ALL ((struct list_part){ 0, PTRDIFF_MAX })
/* The campaigns of an account (0: of all accounts), by id. *now_ms: the database's time, or 0 if the list is empty. */
MUST_CHECK enum result store_list_campaigns(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part,
    struct campaign **campaigns, size_t *count, int64_t *now_ms);

/* The version that every change of the campaign's settings, webhooks and definitions raises. RESULT_NOT_FOUND: no such
 * campaign. */
MUST_CHECK enum result store_read_settings_version(struct store *store, uint64_t campaign_id, uint64_t *version);

/* RESULT_NOT_FOUND: no such lead in this campaign. */
MUST_CHECK enum result store_find_lead(
    struct store *store, struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference, struct lead *lead);

/* The definitions of one campaign, each kind by id; none if there is no such campaign. */
MUST_CHECK enum result store_find_definitions(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct definitions *definitions);

/* ---- inside src/store ---- */

struct db_list;
struct db_rows;

/* The first reads the definitions of several campaigns, without descriptions; the second picks those of one campaign from these
 * rows, each kind by id. */
MUST_CHECK enum result store_query_definitions(
    struct store *store, struct pool *pool, struct db_list campaigns, struct db_rows *rows);
struct definitions store_definitions_from_rows(struct pool *pool, const struct db_rows *rows, uint64_t campaign_id);

/* Reads leads by this kind of identity. The list has values from store_reference_value. */
MUST_CHECK enum result store_query_leads(
    struct store *store, struct pool *pool, enum lead_identity identity, struct db_list list, struct db_rows *rows);
