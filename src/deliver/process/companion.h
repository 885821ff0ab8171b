/* SPDX-License-Identifier: MIT
 * A process next to the dispatcher that sends mail or texts. Its parent, the keeper, restarts it after a crash or when it
 * hangs, after longer and longer pauses; the dispatcher could not do this, because it has threads by then. The keeper and its
 * process end when the dispatcher ends, for whatever reason. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/duration.h"
#include "os/metrics.h"

/* A process that must end waits for its transfers for COMPANION_STOP_MS, then has COMPANION_ABANDON_MS to give them up. */
enum { COMPANION_STOP_MS = 10 * 1000, COMPANION_ABANDON_MS = 5 * 1000 };

/* Reports that the process is alive, in each iteration of its loop. Each of its waits is shorter than COMPANION_SILENCE_MS, so
 * a process that is silent for longer hangs: it is killed and restarted. `life` may be NULL. */
struct companion_life;
enum { COMPANION_SILENCE_MS = 5 * MINUTE_MS };
void companion_alive(struct companion_life *life);

/* The main function of the process. When `stop_fd` is readable, the process must end; signals that end a process are blocked.
 * It has COMPANION_STOP_MS and COMPANION_ABANDON_MS for that. Returns an exit status; after any other than 0, the process is
 * restarted. */
typedef int companion_main(void *context, int stop_fd, struct companion_life *life);

struct companion_options {
	companion_main *run;
	enum metric_process kind;
	void *context;
	int lock_fd;        /* a file: the process runs only while no other process holds its lock; or -1 */
	int64_t silence_ms; /* COMPANION_SILENCE_MS, or a time that a test can wait for */
};

struct companion {
	pid_t keeper;
	int stop_fd; /* when it is closed, the process must end */
	int done_fd; /* at end of file when the process and its keeper have ended */
};

/* Call before threads start. Afterwards the caller closes its own descriptor of lock_fd. Returns false, logged, when the
 * process cannot be created. */
MUST_CHECK bool companion_start(const struct companion_options *options, struct companion *process);
/* Ends the process and waits for it, at most a moment longer than it may take to end. */
void companion_stop(struct companion *process);
