/* SPDX-License-Identifier: MIT
 * Keys and campaigns out of the database, for authentication and reads: what was found is kept for a second (commit/cache.h),
 * what was not found is asked for again. */
#ifndef LEADHOOK_COMMIT_LOOKUPS_H
#define LEADHOOK_COMMIT_LOOKUPS_H

#include "commit/codec.h"

struct lookups;

/* The store is the caller's. */
struct lookups *lookups_new(struct store *store);
/* *lookups may be NULL; it is set to NULL. */
void lookups_free(struct lookups **lookups);

/* For a look-up, that is REQUEST_KEY or REQUEST_CAMPAIGN. What is kept; false: nothing. Texts are in the pool. */
MUST_CHECK bool lookups_recall(
    struct lookups *lookups, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
/* What the database says, which is kept. */
void lookups_ask(
    struct lookups *lookups, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);

/* One or the other. */
MUST_CHECK enum result lookups_find_key(
    struct lookups *lookups, struct pool *pool, const unsigned char hash[32], struct api_key *key);
MUST_CHECK enum result lookups_find_campaign(
    struct lookups *lookups, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms);

#endif
