/* SPDX-License-Identifier: MIT
 * Accounts, as operators manage them. Rows live in the caller's pool. */
#pragma once

#include "store/store.h"

struct account_row {
	uint64_t id;
	struct slice name;
	int64_t suspended_ms, created_ms;
	int64_t per_minute;     /* limit of GET and POST calls with a key, 0: any number; -1: the setting's */
	struct slice time_zone; /* absent: UTC */
};
MUST_CHECK enum result store_add_account(
    struct store *store, const struct precondition *precondition, struct slice name, uint64_t *id);
MUST_CHECK enum result store_list_accounts(
    struct store *store, struct pool *pool, struct list_part part, struct account_row **accounts, size_t *count);
/* Returns RESULT_OK when the account exists, else RESULT_NOT_FOUND. */
MUST_CHECK enum result store_find_account(struct store *store, uint64_t id);

/* Suspends the account, so that later calls on its campaigns fail. RESULT_NOT_FOUND, here and below: no such account. */
MUST_CHECK enum result store_suspend_account(struct store *store, uint64_t id);
MUST_CHECK enum result store_resume_account(struct store *store, uint64_t id);
/* Sets account_row.per_minute. */
MUST_CHECK enum result store_limit_account(struct store *store, uint64_t id, int64_t per_minute);
/* Sets account_row.time_zone. */
MUST_CHECK enum result store_set_time_zone(struct store *store, uint64_t id, struct slice time_zone);
