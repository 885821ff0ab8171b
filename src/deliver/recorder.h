/* SPDX-License-Identifier: MIT
 * Records what came of attempts, in a thread of its own: meanwhile the dispatcher goes on sending and claims what comes next.
 * One batch at a time, of those that ended first. A slot is kept until its outcome is committed. */
#ifndef LEADHOOK_DELIVER_RECORDER_H
#define LEADHOOK_DELIVER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "deliver/runner.h"
#include "deliver/slots.h"

struct recorder;

/* Called for each outcome that is recorded, or given up, just before its slot is free. */
typedef void recorder_released(void *context, const struct delivery_outcome *outcome);

/* Records what has ended in `slots`. `lease_ms` is that of a claim. NULL, logged, when there can be no thread. */
struct recorder *recorder_new(
    struct store *store, struct slots *slots, int64_t lease_ms, recorder_released *released, void *context);
/* Waits for a batch that is under way; *recorder may be NULL, becomes NULL. */
void recorder_free(struct recorder **recorder);

/* When recorder_begin has something to do, by clock_monotonic_ms; CLOCK_NEVER: not before something has happened. `last`:
 * nothing more will end, so what there is need not wait for company. */
int64_t recorder_when(const struct recorder *recorder, bool last);
void recorder_begin(struct recorder *recorder);

bool recorder_is_busy(const struct recorder *recorder);
/* A batch is done: recorder_settle sees to it. */
bool recorder_is_done(const struct recorder *recorder);
void recorder_settle(struct recorder *recorder);
/* Becomes readable when a batch is done. */
int recorder_fd(const struct recorder *recorder);

#endif
