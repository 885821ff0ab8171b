/* SPDX-License-Identifier: MIT
 * API keys of accounts. Rows live in the caller's pool. */
#pragma once

#include "store/store.h"

struct api_key_row {
	uint64_t id, account_id;
	struct slice name;
	int64_t created_ms, last_used_ms, revoked_ms;
	int64_t expires_ms; /* -1: it does not expire */
	rights rights;
	struct slice campaigns; /* ids, separated by commas; absent: all of the account */
};
struct new_key {
	uint64_t account_id;
	struct slice name;
	unsigned char hash[32];
	rights rights;
	int64_t expires_ms;        /* -1: never */
	const uint64_t *campaigns; /* of the account */
	size_t campaign_count;     /* at most KEY_CAMPAIGNS_MAX; 0: all */
};
/* RESULT_NOT_FOUND: no such account. RESULT_REFUSED: a campaign that is not one of the account. RESULT_TOO_MANY: the account
 * has `maximum` keys that can be used. Keys that were revoked or have expired stay while there is room for `maximum`
 * together: the oldest is deleted for a new one. */
MUST_CHECK enum result store_add_key(
    struct store *store, const struct precondition *precondition, const struct new_key *key, uint64_t maximum, uint64_t *id);
MUST_CHECK enum result store_list_keys(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part,
    struct api_key_row **keys, size_t *count);
/* Revoking twice is fine. RESULT_NOT_FOUND: no such key. */
MUST_CHECK enum result store_revoke_key(struct store *store, uint64_t id);
