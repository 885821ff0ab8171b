/* SPDX-License-Identifier: MIT
 * Shows, after a COMMIT without an answer, whether it took effect.
 *
 * Tokens and marks are values that the caller holds for all runs of its transaction. Functions run inside the caller's
 * transaction, and return the result of the connection. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "store/store.h"

/* Inserted by a transaction. When the transaction is repeated with the same token, it is committed only once. */
enum { COMMIT_TOKEN_SIZE = 16 };
struct commit_token {
	unsigned char bytes[COMMIT_TOKEN_SIZE];
};
struct commit_token store_new_token(void);
/* *done_before (may be NULL) is set to true if the token exists, because an earlier run was committed; the result is then
 * RESULT_CONFLICT. */
MUST_CHECK enum result store_insert_token(struct store *store, const struct commit_token *token, bool *done_before);

/* Something that only this batch can have written: an event, or, if `event_id` is 0, the token. */
struct commit_mark {
	uint64_t event_id;
	struct commit_token token;
};
/* Whether the mark exists. Call it while holding the locks of the uncertain transaction: they are granted only after that
 * transaction has ended. */
MUST_CHECK enum result store_find_mark(struct store *store, struct pool *pool, const struct commit_mark *mark, bool *found);
/* The server shows committed rows before they are on disk. A process that finds a commit mark therefore commits a row of its
 * own, which reaches the disk after the mark: the reported outcome then survives a crash. */
MUST_CHECK enum result store_insert_fence(struct store *store);
