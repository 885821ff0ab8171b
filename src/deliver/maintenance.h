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
 * deactivated, and as many wait until their deliveries are ended. Deliveries in `slots` are under way and are left alone. */
struct maintenance *maintenance_new(struct event_loop *loop, struct store *store, const struct crashes *crashes,
    const struct slots *slots, size_t webhooks_max);
/* Waits for the current task. */
void maintenance_free(struct maintenance **maintenance);

/* Takes note of whether a poll has found a queued bulk job. */
void maintenance_note_poll(struct maintenance *maintenance, const struct due_webhooks *found);
/* Takes note of the webhooks whose deliveries are to be ended, as a full poll has found them. The next full poll reports those
 * beyond `webhooks_max` again. */
void maintenance_note_full_poll(struct maintenance *maintenance, const struct due_webhooks *found);
/* Call when polls are slow: refreshes the statistics of the table of due deliveries, at most once in five minutes. */
void maintenance_note_slow_polls(struct maintenance *maintenance);
/* Queues the webhook to be deactivated (store_deactivate_webhook). Repeated calls deactivate it once. When the queue is full,
 * the next attempt reports it again. */
void maintenance_deactivate_webhook(struct maintenance *maintenance, uint64_t webhook_id, enum webhook_state state);
/* Sets the shards that this dispatcher leases (bit i: shard i). Only the dispatcher that leases the first shard runs bulk jobs
 * and cleans up. */
void maintenance_set_shards(struct maintenance *maintenance, uint64_t shards);
/* Begins no more tasks. */
void maintenance_end(struct maintenance *maintenance);

/* The tasks of its thread. */
struct tasks *maintenance_tasks(const struct maintenance *maintenance);
/* Returns true once after a task when there may be new deliveries, or deliveries to end. */
bool maintenance_take_progress(struct maintenance *maintenance);
/* True while there is work: webhooks to deactivate, deliveries to end, queued bulk jobs, sources to count, or a task under way.
 */
bool maintenance_has_work(const struct maintenance *maintenance);
