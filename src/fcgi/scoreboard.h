/* SPDX-License-Identifier: MIT
 * What workers and their parent tell each other: memory that fork(2) shares. */
#ifndef LEADHOOK_FCGI_SCOREBOARD_H
#define LEADHOOK_FCGI_SCOREBOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Written by the one worker or companion it was given to, read by the parent. */
struct scoreboard_slot {
	atomic_bool ready;           /* it can take requests */
	_Atomic(int64_t) busy_since; /* clock_monotonic_ms when it took the request it is at; 0: idle */
};

struct scoreboard {
	atomic_bool drain; /* written by the parent: who stops shall first serve what is queued */
	size_t count;
	struct scoreboard_slot slots[];
};

/* All zero. NULL (errno set) when there is no memory. It is there until the process ends. */
MUST_CHECK struct scoreboard *scoreboard_new(size_t count);

#endif
