/* SPDX-License-Identifier: MIT
 * Accounts and their API keys, as operators and owners manage them. Rows live in the caller's pool. */
#pragma once

#include "store/find.h"

struct account_row {
	uint64_t id;
	struct slice name;
	int64_t suspended_ms, created_ms;
	int64_t per_minute;     /* limit on GET and POST calls with a key; 0: any number; -1: as in the setting */
	struct slice time_zone; /* absent: UTC */
};
MUST_CHECK enum result store_add_account(
    struct store *store, const struct precondition *precondition, struct slice name, uint64_t *id);
MUST_CHECK enum result store_list_accounts(
    struct store *store, struct pool *pool, struct list_part part, struct account_row **accounts, size_t *count);
/* Returns RESULT_OK when the account exists, otherwise RESULT_NOT_FOUND. */
MUST_CHECK enum result store_find_account(struct store *store, uint64_t id);
/* RESULT_REFUSED: one of these campaigns does not belong to the account. */
MUST_CHECK enum result store_check_owner(
    struct store *store, struct pool *pool, uint64_t account_id, const uint64_t *campaigns, size_t count);

/* Suspends the account, so that later calls on its campaigns fail. RESULT_NOT_FOUND, here and below: no such account. */
MUST_CHECK enum result store_suspend_account(struct store *store, uint64_t id);
MUST_CHECK enum result store_resume_account(struct store *store, uint64_t id);
/* Sets account_row.per_minute. */
MUST_CHECK enum result store_limit_account(struct store *store, uint64_t id, int64_t per_minute);
/* Sets account_row.time_zone. */
MUST_CHECK enum result store_set_time_zone(struct store *store, uint64_t id, struct slice time_zone);

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
	const uint64_t *campaigns; /* all of them belong to the account */
	size_t campaign_count;     /* at most KEY_CAMPAIGNS_MAX; 0: all */
};
/* RESULT_NOT_FOUND: no such account. RESULT_REFUSED: one of the campaigns does not belong to the account. RESULT_TOO_MANY: the
 * account has `maximum` keys that can be used. Revoked and expired keys are kept while there is room for `maximum` keys in all;
 * after that, the oldest is deleted to make room for a new key. */
MUST_CHECK enum result store_add_key(
    struct store *store, const struct precondition *precondition, const struct new_key *key, uint64_t maximum, uint64_t *id);
MUST_CHECK enum result store_list_keys(struct store *store, struct pool *pool, uint64_t account_id, struct list_part part,
    struct api_key_row **keys, size_t *count);
/* Revoking twice is fine. RESULT_NOT_FOUND: no such key. */
MUST_CHECK enum result store_revoke_key(struct store *store, uint64_t id);
