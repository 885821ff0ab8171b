/* SPDX-License-Identifier: MIT */
#include "limit/hash_slots.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/shared.h"
#include "crypto/digest.h"

enum {
	LOCKS = HASH_SLOTS + HASH_WAITING, /* the slots come first */
	MEMORY_SIZE = 64,                  /* shared_open requires some; the locks are all that is used */
	LOOK_MS = 50                       /* a caller waits for one slot, and looks at the other one that often */
};
_Static_assert((int)LOCKS <= (int)SHARED_LOCKS, "a lock for each");

struct hash_slots {
	struct shared shared;
	int count;
};

struct hash_slots *
hash_slots_open(const char *folder, int count)
{
	static const struct slice purpose = SLICE("hash slots");
	const struct digest layout = digest_sha256(&purpose, 1);
	struct hash_slots *slots = memory_alloc(sizeof(*slots));
	if (!shared_open(folder, HASH_SLOTS_FILE, MEMORY_SIZE, layout.bytes, LOG_LEVEL_ERROR, &slots->shared)) {
		free(slots);
		return NULL;
	}
	slots->count = count;
	return slots;
}

void
hash_slots_close(struct hash_slots **slots)
{
	if (*slots == NULL)
		return;
	shared_close(&(*slots)->shared);
	free(*slots);
	*slots = NULL;
}

/* A free lock of `count` from `first` on; -1: none. */
static int
take_free(struct hash_slots *slots, int first, int count)
{
	for (int i = first; i < first + count; i++)
		if (shared_lock_within(&slots->shared.locks[i], 0))
			return i;
	return -1;
}

/* `place`: of the caller among those that wait, so that they wait for different slots. */
static int
wait_for_slot(struct hash_slots *slots, int place)
{
	const int slot = place % slots->count;
	const int64_t end_ms = clock_monotonic_ms() + HASH_WAIT_MS;
	while (clock_monotonic_ms() < end_ms) {
		if (shared_lock_within(&slots->shared.locks[slot], LOOK_MS))
			return slot;
		const int other = take_free(slots, 0, slots->count);
		if (other >= 0)
			return other;
	}
	return -1;
}

int
hash_slots_take(struct hash_slots *slots)
{
	int slot = take_free(slots, 0, slots->count);
	if (slot >= 0)
		return slot;
	const int place = take_free(slots, HASH_SLOTS, HASH_WAITING);
	if (place < 0)
		return -1;
	slot = wait_for_slot(slots, place);
	pthread_mutex_unlock(&slots->shared.locks[place]);
	return slot;
}

void
hash_slots_give_back(struct hash_slots *slots, int slot)
{
	pthread_mutex_unlock(&slots->shared.locks[slot]);
}
