/* SPDX-License-Identifier: MIT */
#include "fcgi/scoreboard.h"

#include <sys/mman.h>

#include "os/clock.h"
#include "os/metrics.h"

struct scoreboard *
scoreboard_new(size_t count)
{
	size_t size = sizeof(struct scoreboard) + count * sizeof(struct scoreboard_slot);
	struct scoreboard *scoreboard = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scoreboard == MAP_FAILED)
		return NULL;
	scoreboard->count = count;
	return scoreboard;
}

/* In this order: a reader that reads `busy` first never combines an old beat with the new state. */
int64_t
scoreboard_beat(struct scoreboard_slot *slot, bool busy)
{
	const int64_t now_ms = clock_monotonic_ms();
	atomic_store(&slot->beat, now_ms);
	atomic_store(&slot->busy, busy);
	metrics_process_busy(busy);
	return now_ms;
}
