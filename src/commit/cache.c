/* SPDX-License-Identifier: MIT */
#include "commit/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

struct entry {
	char name[CACHE_NAME_MAX];
	size_t name_size; /* 0: not taken */
	char *value;
	size_t value_size;
	int64_t read_ms;
	uint64_t used; /* when it was last asked for, in uses of the cache */
};

struct cache {
	struct entry entries[CACHE_ENTRIES];
	size_t bytes;
	uint64_t uses;
};

struct cache *
cache_new(void)
{
	return memory_alloc(sizeof(struct cache));
}

static void
forget(struct cache *cache, struct entry *entry)
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
	for (size_t i = 0; i < CACHE_ENTRIES; i++)
		forget(*cache, &(*cache)->entries[i]);
	free(*cache);
	*cache = NULL;
}

static struct entry *
find(struct cache *cache, struct slice name)
{
	for (size_t i = 0; i < CACHE_ENTRIES; i++) {
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
	if (entry == NULL || now_ms - entry->read_ms >= CACHE_AGE_MS)
		return SLICE_NONE;
	entry->used = ++cache->uses;
	return (struct slice){ entry->value, entry->value_size };
}

/* The one that was not asked for the longest; places that are not taken come first. */
static struct entry *
oldest(struct cache *cache, bool taken)
{
	struct entry *found = NULL;
	for (size_t i = 0; i < CACHE_ENTRIES; i++) {
		struct entry *entry = &cache->entries[i];
		if (taken && entry->name_size == 0)
			continue;
		if (found == NULL || entry->used < found->used)
			found = entry;
	}
	return found;
}

void
cache_put(struct cache *cache, struct slice name, struct slice value, int64_t read_ms)
{
	struct entry *entry = find(cache, name);
	if (entry != NULL)
		forget(cache, entry);
	if (value.size > CACHE_BYTES)
		return;
	while (cache->bytes + value.size > CACHE_BYTES)
		forget(cache, oldest(cache, true));
	entry = oldest(cache, false);
	forget(cache, entry);
	memcpy(entry->name, name.data, name.size);
	entry->name_size = name.size;
	entry->value = memory_alloc(value.size);
	memcpy(entry->value, value.data, value.size);
	entry->value_size = value.size;
	entry->read_ms = read_ms;
	entry->used = ++cache->uses;
	cache->bytes += value.size;
}
