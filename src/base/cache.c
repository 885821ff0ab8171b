/* SPDX-License-Identifier: MIT */
#include "base/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "base/pool.h"

struct entry {
	char name[CACHE_NAME_MAX];
	size_t name_size; /* 0: unused */
	char *value;
	size_t value_size;
	int64_t read_ms;
	uint64_t used; /* time of last use, counted in uses of the cache */
};

struct cache {
	struct cache_limits limits;
	size_t bytes;
	uint64_t uses;
	struct entry entries[];
};

struct cache *
cache_new(const struct cache_limits *limits)
{
	require(limits->entries > 0 && limits->value_bytes <= limits->bytes);
	struct cache *cache = memory_alloc(sizeof(*cache) + limits->entries * sizeof(*cache->entries));
	cache->limits = *limits;
	return cache;
}

static void
drop(struct cache *cache, struct entry *entry)
{
	cache->bytes -= entry->value_size;
	free(entry->value);
	*entry = (struct entry){ .name_size = 0 };
}

void
cache_free(struct cache **cache)
{
	if (*cache == NULL)
		return;
	for (size_t i = 0; i < (*cache)->limits.entries; i++)
		drop(*cache, &(*cache)->entries[i]);
	free(*cache);
	*cache = NULL;
}

static struct entry *
find(struct cache *cache, struct slice name)
{
	for (size_t i = 0; i < cache->limits.entries; i++) {
		struct entry *entry = &cache->entries[i];
		if (entry->name_size > 0 && slice_equal(name, (struct slice){ entry->name, entry->name_size }))
			return entry;
	}
	return NULL;
}

struct slice
cache_find(struct cache *cache, struct slice name, int64_t now_ms)
{
	struct entry *entry = find(cache, name);
	if (entry == NULL || now_ms - entry->read_ms >= cache->limits.age_ms)
		return SLICE_NONE;
	entry->used = ++cache->uses;
	return (struct slice){ entry->value, entry->value_size };
}

/* A free entry, which has never been used, or the least recently used one. */
static struct entry *
find_room(struct cache *cache)
{
	struct entry *found = &cache->entries[0];
	for (size_t i = 1; i < cache->limits.entries; i++)
		if (cache->entries[i].used < found->used)
			found = &cache->entries[i];
	return found;
}

static void
drop_oldest(struct cache *cache)
{
	struct entry *found = NULL;
	for (size_t i = 0; i < cache->limits.entries; i++) {
		struct entry *entry = &cache->entries[i];
		if (entry->name_size > 0 && (found == NULL || entry->used < found->used))
			found = entry;
	}
	drop(cache, found);
}

void
cache_put(struct cache *cache, struct slice name, struct slice value, int64_t read_ms)
{
	require(name.size > 0 && name.size <= CACHE_NAME_MAX);
	struct entry *entry = find(cache, name);
	if (entry != NULL)
		drop(cache, entry);
	if (value.size > cache->limits.value_bytes)
		return;
	while (cache->bytes + value.size > cache->limits.bytes)
		drop_oldest(cache);
	entry = find_room(cache);
	drop(cache, entry);
	memcpy(entry->name, name.data, name.size);
	entry->name_size = name.size;
	entry->value = memory_alloc(value.size);
	memcpy(entry->value, value.data, value.size);
	entry->value_size = value.size;
	entry->read_ms = read_ms;
	entry->used = ++cache->uses;
	cache->bytes += value.size;
}
