/* SPDX-License-Identifier: MIT
 * A cache of values read from the database, by name, with a maximum size. Never base a write on a cached value. The caller
 * passes the time (clock_monotonic_ms, the same for all processes). If a value is valid for only one version of its source, its
 * name contains the version. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

struct cache_limits {
	size_t entries;
	size_t bytes;       /* of all values */
	size_t value_bytes; /* of one value; larger ones are not stored */
	int64_t age_ms;     /* how long a value is valid after it was read */
};
enum { CACHE_NAME_MAX = 48 };

struct cache;

struct cache *cache_new(const struct cache_limits *limits);
void cache_free(struct cache **cache);
/* The value with this name; absent if there is none that is still valid. Valid until the next cache_put. Its data are aligned
 * for any type. */
struct slice cache_find(struct cache *cache, struct slice name, int64_t now_ms);
/* Stores a copy, and removes the least recently used entries to make room. `name` has 1 to CACHE_NAME_MAX bytes; `read_ms` is
 * the time just before the value was read. */
void cache_put(struct cache *cache, struct slice name, struct slice value, int64_t read_ms);
