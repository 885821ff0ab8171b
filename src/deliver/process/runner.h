/* SPDX-License-Identifier: MIT
 * A thread, often with its own connection to the database, that runs one task at a time while its user's loop continues. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/result.h"

struct runner;
struct store;

/* Runs in the thread. */
typedef enum result runner_work(struct store *store, void *context);

/* The store, which may be NULL, belongs to the thread until runner_free. Returns NULL, logged, when no thread can be created.
 * Only the calling thread uses the runner. */
struct runner *runner_new(struct store *store);
/* Waits for the current task. */
void runner_free(struct runner **runner);

/* Starts work(store, context). What `context` points to belongs to the thread until runner_take returns true. Starting a second
 * task is a defect and ends the process. */
void runner_start(struct runner *runner, runner_work *work, void *context);
/* Returns true once after the work has finished, with its result. */
MUST_CHECK bool runner_take(struct runner *runner, enum result *result);
/* Readable once a result is available, until it is taken. */
int runner_fd(const struct runner *runner);
