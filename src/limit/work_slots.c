/* SPDX-License-Identifier: MIT */
#include "limit/work_slots.h"

#include <stdlib.h>

#include "base/pool.h"
#include "crypto/digest.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/shared.h"

enum {
	LOCKS = WORK_SLOTS_MAX + WORK_SLOTS_WAITING, /* the slots come first */
	MEMORY_SIZE = 64,                            /* shared_open requires some; only the locks are used */
	LOOK_MS = 10                                 /* a caller that waits looks for a free slot this often */
};
_Static_assert((int)LOCKS <= (int)SHARED_LOCKS, "a lock for each");

struct work_slots {
	struct shared shared;
	int count;
};

const char *
work_slots_file(enum work_kind kind)
{
	return kind == WORK_HASHES ? "hashing" : "long-calls";
}

struct work_slots *
work_slots_open(const char *folder, enum work_kind kind, int count)
{
	static const struct slice purpose = SLICE("slots");
	const struct digest layout = digest_sha256(&purpose, 1);
	struct work_slots *slots = memory_alloc(sizeof(*slots));
	if (!shared_open(folder, work_slots_file(kind), MEMORY_SIZE, layout.bytes, LOG_LEVEL_ERROR, &slots->shared)) {
		free(slots);
		return NULL;
	}
	slots->count = count;
	return slots;
}

void
work_slots_close(struct work_slots **slots)
{
	if (*slots == NULL)
		return;
	shared_close(&(*slots)->shared);
	free(*slots);
	*slots = NULL;
}

/* Takes a free lock of the `count` locks from `first`; -1 if there is none. */
static int
take_free(struct work_slots *slots, int first, int count)
{
	for (int i = first; i < first + count; i++)
		if (shared_lock_if_free(&slots->shared.locks[i]))
			return i;
	return -1;
}

static int
wait_for_slot(struct work_slots *slots)
{
	const int64_t end_ms = clock_monotonic_ms() + WORK_SLOTS_WAIT_MS;
	int slot = -1;
	while (slot < 0 && clock_monotonic_ms() < end_ms) {
		fiber_pause(LOOK_MS);
		slot = take_free(slots, 0, slots->count);
	}
	return slot;
}

int
work_slots_take(struct work_slots *slots)
{
	int slot = take_free(slots, 0, slots->count);
	if (slot >= 0)
		return slot;
	const int place = take_free(slots, WORK_SLOTS_MAX, WORK_SLOTS_WAITING);
	if (place < 0)
		return -1;
	slot = wait_for_slot(slots);
	pthread_mutex_unlock(&slots->shared.locks[place]);
	return slot;
}

void
work_slots_give_back(struct work_slots *slots, int slot)
{
	pthread_mutex_unlock(&slots->shared.locks[slot]);
}
