/* SPDX-License-Identifier: MIT
 * Reads API keys, campaigns and the readiness of the database. Existing keys and campaigns are cached for a second
 * (base/cache.h), unknown ones are not. Readiness is cached for a second, whatever it is. */
#pragma once

#include "commit/codec.h"

struct directory;

/* The store is the caller's. */
struct directory *directory_new(struct store *store);
void directory_free(struct directory **directory);

/* For directory requests: REQUEST_KEY, REQUEST_CAMPAIGN and REQUEST_READINESS. Returns false if no answer is cached. Texts are
 * in the pool. */
MUST_CHECK bool directory_find_cached(
    struct directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
/* For the same requests. Reads the database and caches the answer. */
void directory_read(
    struct directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);

/* From the cache, else from the database. */
void directory_find(
    struct directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
