/* SPDX-License-Identifier: MIT
 * Whether the background processes work (docs/architecture.md 8.2); nothing else decides that. Each process writes a heartbeat
 * every HEARTBEAT_MS, from the thread that does the work, so a process that hangs writes none. At its end, a run (for example
 * from cron) records when the next one is expected. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/duration.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"

struct store;

enum heartbeat_process { HEARTBEAT_DISPATCHER, HEARTBEAT_MAILER, HEARTBEAT_TEXTER, HEARTBEAT_PROCESSES };

enum {
	HEARTBEAT_OWNER_SIZE = 16,
	HEARTBEAT_MS = 10 * SECOND_MS,
	HEARTBEAT_WITHIN_MS = 30 * SECOND_MS, /* longest time from one heartbeat to the next */
	/* The expected time between two runs: as between the last two, unless that was more than the maximum. */
	HEARTBEAT_PERIOD_MS = MINUTE_MS,
	HEARTBEAT_PERIOD_MAX_MS = 15 * MINUTE_MS,
	HEARTBEAT_LATE_MS = 30 * SECOND_MS /* how late a run may begin */
};

/* ---- writing heartbeats ---- */

/* Describes a process since its start. The caller sets the first three members; the rest is zero. */
struct heartbeat {
	enum heartbeat_process process;
	const unsigned char *owner; /* HEARTBEAT_OWNER_SIZE random bytes */
	bool stays;                 /* a daemon; otherwise a run */
	int64_t started_ms;         /* by the database's clock; 0: it has not written a heartbeat yet */
	int64_t period_ms;
};
/* Writes a heartbeat. May be repeated. */
MUST_CHECK enum result store_beat(struct store *store, struct heartbeat *heartbeat);
/* The process ends normally. Does nothing if it has not written a heartbeat, or if another process has written one since. */
MUST_CHECK enum result store_end_beats(struct store *store, const struct heartbeat *heartbeat);

/* ---- reading heartbeats ---- */

enum heartbeat_state {
	HEARTBEAT_OFF,   /* mail or texts are not set up */
	HEARTBEAT_NEVER, /* no process has ever written a heartbeat */
	HEARTBEAT_WORKS,
	HEARTBEAT_BETWEEN, /* a run has ended, and the next one is not late yet */
	HEARTBEAT_STOPPED, /* it has ended normally, or the next run is late */
	HEARTBEAT_SILENT,  /* it hangs, was killed, or cannot reach the database */
	HEARTBEAT_STATES
};
struct heartbeat_seen {
	enum heartbeat_state state;
	bool good;         /* whether nothing is wrong with it: OFF, WORKS, BETWEEN */
	int64_t beat_ms;   /* the last heartbeat; -1: never */
	struct slice host; /* of the process that wrote it; its name may be the same as that of the host that reads it */
	uint64_t pid;
	bool stays;
};
MUST_CHECK enum result store_see_heartbeats(
    struct store *store, struct pool *pool, struct heartbeat_seen seen[HEARTBEAT_PROCESSES]);
/* "off", "never_ran", "working", "between_runs", "stopped", "silent". */
struct slice heartbeat_state_name(enum heartbeat_state state);
/* "dispatcher", "mailer", "texter". */
const char *heartbeat_process_name(enum heartbeat_process process);
