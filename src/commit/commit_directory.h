/* SPDX-License-Identifier: MIT
 * Reads API keys, campaigns and the readiness of the database. Existing keys and campaigns are cached for a second
 * (base/cache.h); unknown ones are not cached. Readiness is cached for a second, whether the database is ready or not. */
#pragma once

#include "commit/codec.h"

struct commit_directory;

/* The store belongs to the caller. */
struct commit_directory *commit_directory_new(struct store *store);
void commit_directory_free(struct commit_directory **directory);

/* For directory requests: REQUEST_KEY, REQUEST_CAMPAIGN and REQUEST_READINESS. Returns false if no answer is cached. Texts are
 * in the pool. */
MUST_CHECK bool commit_directory_find_cached(
    struct commit_directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
/* For the same requests: reads the database and caches the answer. */
void commit_directory_read(
    struct commit_directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);

/* Answers from the cache if possible, otherwise from the database. */
void commit_directory_find(
    struct commit_directory *directory, struct pool *pool, const struct commit_request *request, struct commit_answer *answer);
