/* SPDX-License-Identifier: MIT
 * Inbound webhooks: made, changed, rotated, removed, listed (docs/inbound.md 1). Functions fail as described in store/store.h;
 * what they return is in the caller's pool. */
#pragma once

#include "store/store.h"

enum { INBOUND_OVERLAP_HOURS = 24 }; /* how long the old URL works after a rotation */

struct inbound_webhook {
	uint64_t id, campaign_id, account_id; /* account_id: of the campaign */
	int64_t account_per_minute;           /* as in struct api_key */
	struct slice name;
	uint64_t tag_id;          /* 0: none */
	struct slice source, map; /* may be absent; map: as mapping_write writes it */
	int64_t created_ms;
	int64_t previous_until_ms; /* the old URL works until then; -1: there is none */
	uint64_t calls, created, updated, refused;
	int64_t last_call_ms; /* -1: never */
	/* set only by store_find_inbound and store_list_inbound */
	uint64_t stored, stored_bytes; /* refused calls that are stored */
};

/* Finds a webhook by the SHA-256 of the token in its URL, or of the previous token while that still works. This function and
 * the next one return RESULT_NOT_FOUND if there is none. */
MUST_CHECK enum result store_find_inbound_of_token(
    struct store *store, struct pool *pool, const unsigned char hash[32], struct inbound_webhook *webhook);
MUST_CHECK enum result store_find_inbound(struct store *store, struct pool *pool, uint64_t id, struct inbound_webhook *webhook);
MUST_CHECK enum result store_list_inbound(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct inbound_webhook **webhooks, size_t *count);

#define INBOUND_NAME "Inbound via API"
struct inbound_put {
	uint64_t campaign_id;
	uint64_t id;                   /* the webhook to change; 0: the one with this name, or a new one */
	struct slice name;             /* absent: an unused name that begins with INBOUND_NAME */
	bool set_tag, set_map, rotate; /* what to change in an existing webhook */
	uint64_t tag_id;
	struct slice source; /* absent: unchanged; empty: none */
	struct slice map;
	const unsigned char *hash; /* 32 bytes: of a new webhook's token, or with `rotate` of the new token */
	size_t maximum;            /* inbound webhooks per campaign */
};
/* Adds the webhook, or changes the campaign's webhook with this id or name. *fresh: the token with the given hash is now in
 * use. RESULT_TOO_MANY: the campaign has `maximum`; RESULT_NOT_FOUND: no such campaign, or id. */
MUST_CHECK enum result store_put_inbound(
    struct store *store, const struct precondition *precondition, const struct inbound_put *put, uint64_t *id, bool *fresh);
/* Gives a webhook a new token. The old one works for `overlap_hours`. RESULT_NOT_FOUND, here and in the next two functions: no
 * such webhook. */
MUST_CHECK enum result store_rotate_inbound(struct store *store, const struct precondition *precondition, uint64_t id,
    const unsigned char hash[32], unsigned overlap_hours);
/* Which webhook of a campaign is meant: the one with this id (0: any), name (absent: any) and token (NULL: any). */
struct inbound_reference {
	uint64_t id;
	struct slice name;
	const unsigned char *hash;
};
MUST_CHECK enum result store_identify_inbound(
    struct store *store, uint64_t campaign_id, const struct inbound_reference *reference, uint64_t *id);
/* Removes a webhook with its calls. */
MUST_CHECK enum result store_remove_inbound(struct store *store, const struct precondition *precondition, uint64_t id);
