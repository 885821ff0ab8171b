/* SPDX-License-Identifier: MIT
 * What workers and the companion tell their parent about themselves, in memory that fork(2) shares. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Written by the worker or companion that owns it, read by the parent. */
struct scoreboard_slot {
	atomic_bool ready;     /* can take requests */
	atomic_bool has_room;  /* takes connections, and uses fewer than half of its lanes; read by the other workers */
	atomic_bool busy;      /* has a request */
	_Atomic(int64_t) beat; /* clock_monotonic_ms when its oldest request had come or, without one, of its last heartbeat */
};

struct scoreboard {
	atomic_bool drain; /* written by the parent: a worker that stops must first serve the queue */
	size_t count;
	struct scoreboard_slot slots[];
};

/* Zero-initialized. Returns NULL, logged, when there is no memory. Never freed. */
MUST_CHECK struct scoreboard *scoreboard_new(size_t count);

/* Called by the process of the slot. Busy: it works on something that may take as long as a request, from now or `since_ms`
 * (clock_monotonic_ms) on; if it takes longer, it is killed. Idle: it waits; it repeats this call every second, because silence
 * means that it hangs. */
void scoreboard_busy(struct scoreboard_slot *slot);
void scoreboard_busy_since(struct scoreboard_slot *slot, int64_t since_ms);
void scoreboard_idle(struct scoreboard_slot *slot);
/* The process has started: it is idle, and can take requests from now on. */
void scoreboard_ready(struct scoreboard_slot *slot);
/* Whether any worker has room. */
bool scoreboard_has_room(const struct scoreboard *scoreboard);
