/* SPDX-License-Identifier: MIT
 * Takes due deliveries from the database, sends them, records what came of them (docs/deliveries.md 2 to 4 and 6). In between
 * it does queued bulk work.
 *
 * A delivery keeps its slot from its claim until its outcome is committed: so at most `in_flight` deliveries are sent twice
 * when the process is killed, and none is lost. */
#ifndef LEADHOOK_DELIVER_DISPATCHER_H
#define LEADHOOK_DELIVER_DISPATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"
#include "deliver/lock.h"
#include "deliver/sender.h"
#include "webhook/health.h"
#include "webhook/retry.h"

struct crashes;
struct store;

struct dispatcher_options {
	struct sender_options sender; /* sender.in_flight is the number of slots */
	struct health_rules health;
	int64_t lease_ms; /* of shards and claims; at least sender.timeout_ms + DISPATCHER_LEASE_MARGIN_MS */
	const struct retry_schedule *schedule;
	bool stay;               /* a daemon: works until it is stopped; else until nothing is due */
	int64_t poll_ms;         /* between two looks for due work while there is none */
	int64_t max_runtime_ms;  /* takes nothing new after that; 0: no end */
	struct crashes *crashes; /* of earlier processes; NULL: none are known */
	int stop_fd;             /* becomes readable when it is to stop (signalfd); or -1 */
};

enum { DISPATCHER_LEASE_MARGIN_MS = 15 * 1000 };

struct dispatcher;

/* Each with a connection of its own. */
enum { DISPATCHER_CONNECTIONS = 3 };
struct dispatcher_stores {
	struct store *own;
	struct store *recorder;    /* for deliver/recorder.h */
	struct store *maintenance; /* for deliver/maintenance.h */
};
_Static_assert(sizeof(struct dispatcher_stores) == DISPATCHER_CONNECTIONS * sizeof(struct store *), "one for each");

/* NULL, logged, when the options contradict each other, or there can be no sender or no thread. `lock` may be NULL; all else
 * that is handed over must stay valid, but for `options` and `stores` themselves. */
struct dispatcher *dispatcher_new(
    const struct dispatcher_options *options, const struct dispatcher_stores *stores, struct lock *lock);
/* *dispatcher may be NULL, becomes NULL. */
void dispatcher_free(struct dispatcher **dispatcher);

/* Works, then lets what is in flight end, records it and gives the shards back. RESULT_OK; RESULT_UNAVAILABLE when the database
 * did not come back, so that results had to be given up: their deliveries are made again; or so that nothing could be done,
 * unless it was told to stop. */
MUST_CHECK enum result dispatcher_run(struct dispatcher *dispatcher);

#endif
