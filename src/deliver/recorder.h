/* SPDX-License-Identifier: MIT
 * Records the outcomes of attempts in its own thread, so that the dispatcher keeps sending. Records one batch at a
 * time, in the order in which attempts ended. A slot is released when its outcome is committed. */
#pragma once

#include "deliver/slots.h"
#include "deliver/tasks.h"

struct recorder;

/* Called for each recorded outcome, just before its slot is released; for an outcome that the database rejects, a minute later,
 * while its delivery is still due. */
typedef void recorder_released(void *context, const struct slot *slot, const struct delivery_outcome *outcome);

/* Records what has ended in `slots`, as the owner of the shards; `owner` must stay valid. Returns NULL, logged, when no thread
 * can be created. */
struct recorder *recorder_new(struct event_loop *loop, struct store *store, struct slots *slots,
    const unsigned char owner[DISPATCH_OWNER_SIZE], recorder_released *released, void *context);
/* Waits for the current batch. */
void recorder_free(struct recorder **recorder);

/* The tasks of its thread. */
struct tasks *recorder_tasks(const struct recorder *recorder);
/* No more attempts begin: a batch no longer waits for others once the last attempt has ended. */
void recorder_end(struct recorder *recorder);
