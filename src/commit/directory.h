/* SPDX-License-Identifier: MIT
 * Keys and campaigns out of the database, for authentication and reads: what was found is cached for a second (base/cache.h),
 * what was not found is asked for again. And whether the database is ready: either answer is cached for a second. */
#ifndef LEADHOOK_COMMIT_DIRECTORY_H
#define LEADHOOK_COMMIT_DIRECTORY_H

#include "commit/codec.h"

struct directory;

/* The store is the caller's. */
struct directory *directory_new(struct store *store);
/* *directory may be NULL; it is set to NULL. */
void directory_free(struct directory **directory);

/* For REQUEST_KEY, REQUEST_CAMPAIGN and REQUEST_READINESS. What is cached; false: nothing. Texts are in the pool. */
MUST_CHECK bool directory_recall(
    struct directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
/* What the database says, which is cached. */
void directory_ask(
    struct directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);

/* One or the other. */
MUST_CHECK enum result directory_find_key(
    struct directory *directory, struct pool *pool, const unsigned char hash[32], struct api_key *key);
MUST_CHECK enum result directory_find_campaign(
    struct directory *directory, struct pool *pool, uint64_t id, struct campaign *campaign, int64_t *now_ms);
/* As store_ready. */
MUST_CHECK enum result directory_ready(struct directory *directory);

#endif
