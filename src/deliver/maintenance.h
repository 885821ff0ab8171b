/* SPDX-License-Identifier: MIT
 * Background work of a dispatcher, in chunks and in a thread of its own: deactivates webhooks, ends the deliveries of deleted
 * ones, cleans up, runs bulk jobs (docs/deliveries.md 4 and 6), and counts the sources of leads. A task that fails is delayed;
 * the others continue. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deliver/slots.h"
#include "deliver/tasks.h"
#include "os/clock.h"
#include "webhook/delivery.h"

struct crashes;
struct maintenance;

/* Returns NULL, logged, when no thread can be created. `crashes` may be NULL. At most `webhooks_max` webhooks wait to be
 * deactivated, and as many for the end of their deliveries. Deliveries in `slots` are under way and not ended. */
struct maintenance *maintenance_new(struct event_loop *loop, struct store *store, const struct crashes *crashes,
    const struct slots *slots, size_t webhooks_max);
/* Waits for the current task. */
void maintenance_free(struct maintenance **maintenance);

/* A poll has found a queued bulk job, or none. */
void maintenance_note_poll(struct maintenance *maintenance, const struct due_webhooks *found);
/* A full poll has found webhooks with deliveries to end; those beyond `webhooks_max` are reported again by the next one. */
void maintenance_note_full_poll(struct maintenance *maintenance, const struct due_webhooks *found);
/* Polls are slow: refreshes the statistics of the table of due deliveries, at most once in five minutes. */
void maintenance_note_slow_polls(struct maintenance *maintenance);
/* Queues the webhook to be deactivated (store_deactivate_webhook). Repeated calls deactivate it once. When the queue is full,
 * the next attempt reports it again. */
void maintenance_deactivate_webhook(struct maintenance *maintenance, uint64_t webhook_id, enum webhook_state state);
/* The shards that this dispatcher leases (bit i: shard i). Only the one with the first shard runs bulk jobs and cleans up. */
void maintenance_set_shards(struct maintenance *maintenance, uint64_t shards);
/* Begins no more tasks. */
void maintenance_end(struct maintenance *maintenance);

/* The tasks of its thread. */
struct tasks *maintenance_tasks(const struct maintenance *maintenance);
/* Returns true once after a task when there may be new deliveries, or deliveries to end. */
bool maintenance_take_progress(struct maintenance *maintenance);
/* True while webhooks wait to be deactivated or for the end of their deliveries, bulk jobs are queued, sources are to be
 * counted, or a task is under way. */
bool maintenance_has_work(const struct maintenance *maintenance);
