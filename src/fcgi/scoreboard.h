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
	atomic_bool ready;     /* it can take requests */
	atomic_bool busy;      /* it is at a request */
	_Atomic(int64_t) beat; /* clock_monotonic_ms when it took that request, or was last seen without one */
};

struct scoreboard {
	atomic_bool drain; /* written by the parent: who stops shall first serve what is queued */
	size_t count;
	struct scoreboard_slot slots[];
};

/* All zero. NULL (errno set) when there is no memory. It is there until the process ends. */
MUST_CHECK struct scoreboard *scoreboard_new(size_t count);

/* The slot's process takes a request; or it has none, which it says again and again: silence means that it is stuck. */
void scoreboard_beat(struct scoreboard_slot *slot, bool busy);

#endif
