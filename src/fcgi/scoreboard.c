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
int64_t
scoreboard_busy(struct scoreboard_slot *slot)
{
	const int64_t now_ms = clock_monotonic_ms();
	atomic_store(&slot->beat, now_ms);
	atomic_store(&slot->busy, true);
	metrics_process_busy();
	return now_ms;
}

int64_t
scoreboard_idle(struct scoreboard_slot *slot)
{
	const int64_t now_ms = clock_monotonic_ms();
	atomic_store(&slot->beat, now_ms);
	atomic_store(&slot->busy, false);
	metrics_process_idle();
	return now_ms;
}

void
scoreboard_ready(struct scoreboard_slot *slot)
{
	scoreboard_idle(slot);
	atomic_store(&slot->ready, true);
}
