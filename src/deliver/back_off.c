/* SPDX-License-Identifier: MIT */
#include "deliver/back_off.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"

enum { FIRST_MS = 100, DOUBLINGS = 10, MAX_MS = 5 * 1000 };

/* Adds jitter so that several dispatchers do not retry at the same moment. */
void
back_off(struct back_off *b, const char *step, enum result result)
{
	int64_t wait = (int64_t)FIRST_MS << (b->failures < DOUBLINGS ? b->failures : DOUBLINGS);
	if (wait > MAX_MS)
		wait = MAX_MS;
	wait = wait / 2 + (int64_t)random_below((uint64_t)wait / 2 + 1);
	b->until_ms = clock_monotonic_ms() + wait;
	b->failures++;
	log_warning("database", LOG_STR("step", step), LOG_STR("result", result_text(result)), LOG_INT("retry_in_ms", wait));
}
