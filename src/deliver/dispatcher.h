/* SPDX-License-Identifier: MIT
 * Sends due deliveries and records their outcomes (docs/deliveries.md 2 to 4 and 6). Also runs queued bulk jobs, and
 * jobs of operators.
 *
 * The loop sends; threads fetch due deliveries (feeder.h), record outcomes (recorder.h), work on jobs (job_worker.h) and do
 * everything else (maintenance.h). A delivery is under way from the start of its attempt until its outcome is committed. So at
 * most `in_flight` deliveries are sent twice when the process is killed, and none is lost.
 *
 * The loop tells the service manager (os/notify.h) that it is alive, unless a thread that is needed for sending hangs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/result.h"
#include "deliver/lock.h"
#include "deliver/send/sender.h"
#include "webhook/health.h"
#include "webhook/retry.h"

struct crashes;
struct job_settings;
struct notifier;
struct store;

enum { DISPATCHER_COMPANIONS = 2 };

struct dispatcher_options {
	struct sender_options sender; /* sender.in_flight: how many deliveries may be under way */
	struct health_rules health;
	int64_t lease_ms; /* lease of the shards; at least sender.timeout_ms + DISPATCHER_LEASE_MARGIN_MS */
	const struct retry_schedule *schedule;
	bool stay;                                /* true: runs until it is stopped (daemon); false: until nothing is due */
	int64_t poll_ms;                          /* interval of polls for due work while there is none */
	int64_t max_runtime_ms;                   /* begins nothing after this time; 0: no limit */
	struct crashes *crashes;                  /* crashes of earlier processes; may be NULL */
	const struct job_settings *job_settings;  /* for jobs of operators (jobs/job_settings.h) */
	int stop_fd;                              /* becomes readable when the dispatcher must stop (signalfd); or -1 */
	int wake_fd;                              /* its wake socket (os/wake.h), which reports new deliveries; or -1 */
	struct notifier *notifier;                /* for reports to the service manager (os/notify.h); or NULL */
	int companion_fds[DISPATCHER_COMPANIONS]; /* at end of file when a process next to this one has ended; or -1. Without
						   * `stay` it runs until all have; with it, it ends when one has */
};

enum { DISPATCHER_LEASE_MARGIN_MS = 15 * 1000 };

struct dispatcher;

/* Each has its own connection. */
enum { DISPATCHER_CONNECTIONS = 4 };
struct dispatcher_stores {
	struct store *feeder;      /* for deliver/feeder.h */
	struct store *recorder;    /* for deliver/recorder.h */
	struct store *maintenance; /* for deliver/maintenance.h */
	struct store *jobs;        /* for deliver/job_worker.h; connects with the first job */
};
_Static_assert(sizeof(struct dispatcher_stores) == DISPATCHER_CONNECTIONS * sizeof(struct store *), "one each");

/* The number of slots; the lock file has a place for each (lock.h). */
size_t dispatcher_slots(size_t in_flight);

/* Returns NULL, logged, when the options are inconsistent, or when the sender or a thread cannot be created. `lock` may be
 * NULL. All arguments except `options` and `stores` themselves must stay valid. */
struct dispatcher *dispatcher_new(
    const struct dispatcher_options *options, const struct dispatcher_stores *stores, struct lock *lock);
void dispatcher_free(struct dispatcher **dispatcher);

/* Runs, then completes what is in flight, records it and releases the shards. Returns RESULT_OK, or RESULT_UNAVAILABLE when the
 * database did not recover (outcomes were discarded, so their deliveries are sent again), when no work was possible, or when a
 * process of `companion_fds` has ended, unless a stop was requested. */
MUST_CHECK enum result dispatcher_run(struct dispatcher *dispatcher);
