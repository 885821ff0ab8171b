/* SPDX-License-Identifier: MIT
 * The steps that the dispatcher's loop (dispatcher.c) runs when they are due. Private to these two files. */
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
	STEPS_BATCH = 256,        /* maximum number of deliveries per claim */
	STEPS_WEBHOOKS_MAX = 8192 /* maximum number of webhooks with something due or under way */
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
	struct delivery_outcome untried[STEPS_BATCH]; /* of the last claim, to be returned; all have this token: */
	char untried_token[DISPATCH_TOKEN_SIZE];
	size_t untried_count;

	/* Times are in clock_monotonic_ms. */
	int64_t next_lease_ms, busy_poll_ms, next_poll_ms, claimed_ms;
	int64_t woken_poll_ms;                          /* a wake makes no poll earlier than that */
	int64_t next_full_poll_ms;                      /* until then polls read only the newest rows */
	int64_t full_poll_took_ms, newest_poll_took_ms; /* duration of the last polls */
	int64_t end_ms;                                 /* no new claims from then on … */
	int64_t give_up_ms;                             /* … and until then it waits for the database */
	int64_t database_ahead_ms;                      /* the database's time minus clock_monotonic_ms */
	struct back_off away;                           /* no database access until it ends */
	uint64_t leased_shards;                         /* bit i: shard i */
	unsigned slow_polls;                            /* consecutive full polls */
	bool recovered_previous, leased, polled;
	bool last_poll_was_full; /* the last poll was a full one */
	bool progress;           /* something was claimed or ended since the last poll, so another one may find more */
	bool ending, stopped;    /* stopped: by stop_fd */
};

/* A step, and when it is due, in clock_monotonic_ms; CLOCK_NEVER: not until an event. Any result other than RESULT_OK starts
 * the back-off. */
struct dispatcher_step {
	int64_t (*when)(const struct dispatcher *);
	enum result (*run)(struct dispatcher *);
	const char *name;
	bool uses_database; /* in this thread; other steps start work in another thread, which uses it */
};

/* In the order in which they run; sets *count. */
const struct dispatcher_step *steps_all(size_t *count);

/* options.wake_fd while a wake makes the next poll earlier; else -1, so that many wakes cost no more than one. */
int steps_wake_fd(const struct dispatcher *dispatcher);
/* To be called when it is readable. */
void steps_woken(struct dispatcher *dispatcher);

/* Callbacks at the end of an attempt (sender.h) and when a slot is released (recorder.h). `context` is the dispatcher. */
sender_done steps_attempt_done;
recorder_released steps_slot_released;

#endif
