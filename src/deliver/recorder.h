/* SPDX-License-Identifier: MIT
 * Records the outcomes of attempts in its own thread, so that the dispatcher keeps sending. Records one batch at a
 * time, in the order in which attempts ended. A slot is released when its outcome is committed. */
#ifndef LEADHOOK_DELIVER_RECORDER_H
#define LEADHOOK_DELIVER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "deliver/runner.h"
#include "deliver/slots.h"

struct recorder;

/* Called for each outcome that was recorded, just before its slot is released; also for one that the database rejects, a minute
 * later: its delivery is still due. */
typedef void recorder_released(void *context, const struct slot *slot, const struct delivery_outcome *outcome);

/* Records what has ended in `slots`, as `owner` of the shards. Returns NULL, logged, when no thread can be created. */
struct recorder *recorder_new(struct store *store, struct slots *slots, const unsigned char owner[DISPATCH_OWNER_SIZE],
    recorder_released *released, void *context);
/* Waits for the current batch. */
void recorder_free(struct recorder **recorder);

/* When recorder_begin has work, in clock_monotonic_ms. CLOCK_NEVER: no work until another attempt ends. `last`: no more
 * attempts will end, so an incomplete batch need not wait. */
int64_t recorder_when(const struct recorder *recorder, bool last);
void recorder_begin(struct recorder *recorder, bool last);

bool recorder_is_busy(const struct recorder *recorder);
/* Handles the result of the batch if it has finished. */
void recorder_collect(struct recorder *recorder);
/* Becomes readable when the batch has finished. */
int recorder_fd(const struct recorder *recorder);

#endif
