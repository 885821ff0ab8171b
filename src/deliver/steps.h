/* SPDX-License-Identifier: MIT
 * What a dispatcher does, in pieces that its loop (dispatcher.c) puts in order of time. Private to these two. */
#ifndef LEADHOOK_DELIVER_STEPS_H
#define LEADHOOK_DELIVER_STEPS_H

#include "base/clock.h"
#include "deliver/dispatcher.h"

#include "base/pool.h"
#include "deliver/back_off.h"
#include "deliver/maintenance.h"
#include "deliver/recorder.h"
#include "deliver/scheduler.h"
#include "deliver/slots.h"
#include "store/queue/dispatch.h"

enum {
	STEPS_BATCH = 256,        /* deliveries in one claim, at most */
	STEPS_WEBHOOKS_MAX = 8192 /* known at a time: with something due, or under way */
};

struct dispatcher {
	struct dispatcher_options options;
	struct store *store;
	struct lock *lock;
	struct sender *sender;
	struct scheduler *scheduler;
	struct pool *pool; /* of one step */
	unsigned char owner[DISPATCH_OWNER_SIZE];

	struct slots *slots;
	struct recorder *recorder;
	struct maintenance *maintenance;
	struct due_request requests[STEPS_BATCH];
	struct delivery_outcome untried[STEPS_BATCH]; /* of the last claim, to be given back; all with this token: */
	char untried_token[DISPATCH_TOKEN_SIZE];
	size_t untried_count;

	/* Times are those of clock_monotonic_ms. */
	int64_t next_lease_ms, looked_ms, next_look_ms, claimed_ms;
	int64_t all_looked_ms;               /* the newest are enough until then */
	int64_t all_took_ms, newest_took_ms; /* the last looks */
	int64_t end_ms;                      /* takes nothing new from then on … */
	int64_t give_up_ms;                  /* … and waits that long for the database */
	int64_t database_ahead_ms;           /* the database's time, less clock_monotonic_ms */
	struct back_off away;                /* the database is left alone meanwhile */
	uint64_t held;                       /* shards */
	unsigned slow_looks;                 /* in a row, at all that is due */
	bool taken_over, leased, looked;
	bool looked_at_all;   /* the last time */
	bool progress;        /* since the last look something was claimed or ended: another look is worth it */
	bool ending, stopped; /* stopped: it was told to */
};

enum step_kind {
	STEP_ASKS,   /* the database, itself */
	STEP_BEGINS, /* something in another thread, which does; like the former it waits while the database is away */
	STEP_TAKES   /* what another thread has done: does not wait */
};

/* A step, and when it is due by clock_monotonic_ms; CLOCK_NEVER: not before something has happened. What it answers but
 * RESULT_OK says that the database is away. */
struct step {
	int64_t (*when)(const struct dispatcher *);
	enum result (*run)(struct dispatcher *);
	const char *name;
	enum step_kind kind;
};

/* In the order in which they run; `count` is how many. */
const struct step *steps_all(size_t *count);

/* The end of an attempt (sender.h), and of a slot's use (recorder.h); `context` is the dispatcher. */
sender_done steps_attempt_done;
recorder_released steps_slot_released;

/* Nothing is under way, nor waits to be recorded. */
bool steps_no_slot_used(const struct dispatcher *dispatcher);

#endif
