/* SPDX-License-Identifier: MIT
 * What was read from the database and is true for a moment more: for authentication and reads, never for what decides a
 * write. The caller hands in the time (clock_monotonic_ms, the same for all processes). */
#ifndef LEADHOOK_COMMIT_CACHE_H
#define LEADHOOK_COMMIT_CACHE_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

/* How long after it was read a value counts; how many there are at most, and how large together. Whichever was not asked for
 * the longest leaves first. */
enum { CACHE_AGE_MS = 1000, CACHE_ENTRIES = 64, CACHE_BYTES = 512 * 1024, CACHE_NAME_MAX = 32 };

struct cache;

struct cache *cache_new(void);
/* *cache may be NULL; it is set to NULL. */
void cache_free(struct cache **cache);
/* The value of that name, if it is fresh; else absent. Valid until the next cache_put. */
struct slice cache_find(struct cache *cache, struct slice name, int64_t now_ms);
/* Keeps a copy. `name` has 1 to CACHE_NAME_MAX bytes; `read_ms` is a time before the value was read. */
void cache_put(struct cache *cache, struct slice name, struct slice value, int64_t read_ms);

#endif
