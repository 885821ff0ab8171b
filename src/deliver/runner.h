/* SPDX-License-Identifier: MIT
 * A thread with a connection of its own, that does one thing at a time for the dispatcher, which goes on sending meanwhile. */
#ifndef LEADHOOK_DELIVER_RUNNER_H
#define LEADHOOK_DELIVER_RUNNER_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/result.h"

struct runner;
struct store;

/* What it is to do; runs in the thread. */
typedef enum result runner_work(struct store *store, void *context);

/* From now on the thread alone uses the store, until runner_free. NULL, logged, when there can be no thread. */
struct runner *runner_new(struct store *store);
/* Waits for what is under way; *runner may be NULL, becomes NULL. */
void runner_free(struct runner **runner);

/* Begins work(store, context). What `context` points to belongs to the thread until runner_take has answered true. One thing
 * more than one is a defect and ends the process. */
void runner_start(struct runner *runner, runner_work *work, void *context);
/* True when the work has ended; then its result is there, once. */
MUST_CHECK bool runner_take(struct runner *runner, enum result *result);
/* There is a result to be taken. */
bool runner_is_done(struct runner *runner);
/* Becomes readable with a result, until it is taken; or -1. */
int runner_fd(const struct runner *runner);

#endif
