/* SPDX-License-Identifier: MIT */
#include "transfer/seen.h"

#include <stdlib.h>

#include "base/pool.h"
#include "os/random.h"

/* A table of hashes with open addresses, at most half full; 0 is a free place. */
struct seen {
	uint64_t *places;
	size_t count, size; /* a power of two */
	uint64_t seed;
};

enum { FIRST_SIZE = 1024 };

struct seen *
seen_new(void)
{
	struct seen *seen = memory_alloc(sizeof(*seen));
	*seen = (struct seen){ .size = FIRST_SIZE };
	random_bytes(&seen->seed, sizeof(seen->seed));
	seen->places = memory_alloc(FIRST_SIZE * sizeof(*seen->places));
	return seen;
}

void
seen_free(struct seen **seen)
{
	if (*seen == NULL)
		return;
	free((*seen)->places);
	free(*seen);
	*seen = NULL;
}

/* FNV-1a, with a seed so that no file can be made to fill one place. */
static uint64_t
hash_of(const struct seen *seen, enum seen_kind kind, struct slice identity)
{
	static const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t hash = (seen->seed ^ (uint64_t)kind) * prime;
	for (size_t i = 0; i < identity.size; i++)
		hash = (hash ^ (unsigned char)identity.data[i]) * prime;
	hash ^= hash >> 32;
	return hash == 0 ? 1 : hash;
}

static size_t
place_of(const struct seen *seen, uint64_t hash)
{
	size_t place = (size_t)hash & (seen->size - 1);
	while (seen->places[place] != 0 && seen->places[place] != hash)
		place = (place + 1) & (seen->size - 1);
	return place;
}

static void
grow(struct seen *seen)
{
	uint64_t *old = seen->places;
	const size_t size = seen->size;
	seen->size *= 2;
	seen->places = memory_alloc(seen->size * sizeof(*seen->places));
	for (size_t i = 0; i < size; i++)
		if (old[i] != 0)
			seen->places[place_of(seen, old[i])] = old[i];
	free(old);
}

void
seen_add(struct seen *seen, enum seen_kind kind, struct slice identity)
{
	if (!slice_present(identity))
		return;
	if (2 * (seen->count + 1) > seen->size)
		grow(seen);
	const uint64_t hash = hash_of(seen, kind, identity);
	const size_t place = place_of(seen, hash);
	seen->count += seen->places[place] == 0 ? 1 : 0;
	seen->places[place] = hash;
}

bool
seen_has(const struct seen *seen, enum seen_kind kind, struct slice identity)
{
	return slice_present(identity) && seen->places[place_of(seen, hash_of(seen, kind, identity))] != 0;
}
