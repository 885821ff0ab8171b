/* SPDX-License-Identifier: MIT
 * Records outcomes in a thread of its own, with a connection of its own: meanwhile the dispatcher goes on sending, and claims
 * what comes next. One batch at a time. */
#ifndef LEADHOOK_DELIVER_RECORDER_H
#define LEADHOOK_DELIVER_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/result.h"
#include "store/dispatch.h"

struct recorder;

/* From now on the thread alone uses the store, until recorder_free. NULL, logged, when there can be no thread. */
struct recorder *recorder_new(struct store *store);
/* Waits for a batch that is under way; *recorder may be NULL, becomes NULL. */
void recorder_free(struct recorder **recorder);

/* Begins store_complete. What is handed over must stay as it is until recorder_take has answered true. One batch more than one
 * is a defect and ends the process. */
void recorder_start(struct recorder *recorder, const struct delivery_outcome *outcomes, size_t count);
/* True when the batch has ended; then its result is there, once. */
MUST_CHECK bool recorder_take(struct recorder *recorder, enum result *result, size_t *stale);
/* There is a result to be taken. */
bool recorder_is_done(struct recorder *recorder);
/* Becomes readable with a result, until it is taken; or -1. */
int recorder_fd(const struct recorder *recorder);

#endif
