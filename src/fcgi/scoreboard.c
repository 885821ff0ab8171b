/* SPDX-License-Identifier: MIT */
#include "fcgi/scoreboard.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"

struct scoreboard *
scoreboard_new(size_t count)
{
	size_t size = sizeof(struct scoreboard) + count * sizeof(struct scoreboard_slot);
	struct scoreboard *scoreboard = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (scoreboard == MAP_FAILED) {
		log_error("scoreboard_failed", LOG_ERRNO(errno));
		return NULL;
	}
	scoreboard->count = count;
	return scoreboard;
}

/* The time is stored first, so that a reader that reads `busy` first never combines an old time with the new state. */
void
scoreboard_busy_since(struct scoreboard_slot *slot, int64_t since_ms)
{
	atomic_store(&slot->beat, since_ms);
	atomic_store(&slot->busy, true);
	metrics_process_busy();
}

void
scoreboard_busy(struct scoreboard_slot *slot)
{
	scoreboard_busy_since(slot, clock_monotonic_ms());
}

void
scoreboard_idle(struct scoreboard_slot *slot)
{
	atomic_store(&slot->beat, clock_monotonic_ms());
	atomic_store(&slot->busy, false);
	metrics_process_idle();
}

void
scoreboard_ready(struct scoreboard_slot *slot)
{
	scoreboard_idle(slot);
	atomic_store(&slot->ready, true);
}

bool
scoreboard_has_room(const struct scoreboard *scoreboard)
{
	for (size_t i = 0; i < scoreboard->count; i++)
		if (atomic_load(&scoreboard->slots[i].has_room))
			return true;
	return false;
}
