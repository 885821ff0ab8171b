/* SPDX-License-Identifier: MIT
 * A runner (process/runner.h) with a table of tasks. Tasks that are due get equal shares of the thread's time, however long
 * each takes. Each task has its own back-off after errors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "deliver/process/runner.h"
#include "os/clock.h"

/* `context` is the argument of tasks_new. Between `begin` and `done`, the data of its work belongs to the thread. */
struct task {
	const char *name;
	int64_t (*when)(const void *context);            /* clock_monotonic_ms; CLOCK_NEVER: not before something changes */
	void (*begin)(void *context);                    /* prepares the work; or NULL */
	runner_work *work;                               /* runs in the thread, with the same context */
	void (*done)(void *context, enum result result); /* runs in the loop; unless RESULT_OK, the back-off starts */
};

/* Exponential back-off after database errors: doubles, up to 5 s. Zero-initialized: no failure. */
struct back_off {
	int64_t until_ms;  /* clock_monotonic_ms */
	unsigned failures; /* consecutive; 0 after a success */
};
/* Records one more failure and logs it. `step` is the operation that failed. */
void back_off(struct back_off *back_off, const char *step, enum result result);

struct event_loop;
struct tasks;

/* `count` is at most TASKS_MAX. When a task has ended, the loop calls its `done` and then ends its wait. Returns NULL, logged,
 * when no thread can be created. */
enum { TASKS_MAX = 8 };
struct tasks *tasks_new(struct event_loop *loop, struct store *store, const struct task *table, size_t count, void *context);
/* Waits for the task under way. */
void tasks_free(struct tasks **tasks);

/* When tasks_begin has something to start. CLOCK_NEVER: not before something changes; for example, the task under way may have
 * to end first. */
int64_t tasks_when(const struct tasks *tasks);
/* Starts the due task that has had the least time, if there is one and none is under way. */
void tasks_begin(struct tasks *tasks);
/* True while a task is under way. */
bool tasks_are_busy(const struct tasks *tasks);
/* How long the task under way has taken so far; 0: there is none. */
int64_t tasks_busy_ms(const struct tasks *tasks);
