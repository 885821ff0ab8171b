/* SPDX-License-Identifier: MIT
 * What a dispatcher does beside delivering, in a thread of its own and a chunk at a time: it closes webhooks, ends the
 * deliveries of those that are no more, keeps house, and does queued bulk work (docs/deliveries.md 4 and 6). They take turns;
 * one that fails waits, and the others go on. */
#ifndef LEADHOOK_DELIVER_MAINTENANCE_H
#define LEADHOOK_DELIVER_MAINTENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "deliver/runner.h"
#include "webhook/delivery.h"

struct crashes;
struct maintenance;

/* NULL, logged, when there can be no thread. `crashes` may be NULL. Has room for `webhooks_max` webhooks to be closed, and for
 * as many to be ended. */
struct maintenance *maintenance_new(struct store *store, const struct crashes *crashes, size_t webhooks_max);
/* Waits for what is under way; *maintenance may be NULL, becomes NULL. */
void maintenance_free(struct maintenance **maintenance);

/* These webhooks were removed or are gone, as far as a look at all that is due has shown. Those for which there is no room are
 * told again by the next look. */
void maintenance_end_webhooks(struct maintenance *maintenance, const uint64_t *webhook_ids, size_t count);
/* The webhook is to be closed (store_close_webhook), which is done once however often it is asked for. Where there is no room
 * its next attempt reports that again. */
void maintenance_close_webhook(struct maintenance *maintenance, uint64_t webhook_id, enum webhook_state state);
/* A bulk job is queued, or none is. */
void maintenance_bulk_work(struct maintenance *maintenance, bool queued);

/* When maintenance_begin has something to do, by clock_monotonic_ms; CLOCK_NEVER: not before something has happened. */
int64_t maintenance_when(const struct maintenance *maintenance);
/* `maintains_days`: whether housekeeping looks after the days of the history (store_maintain). */
void maintenance_begin(struct maintenance *maintenance, bool maintains_days);

/* What was begun is done: maintenance_settle sees to it. */
bool maintenance_are_done(const struct maintenance *maintenance);
/* True: there may be something new to deliver, or to end. */
bool maintenance_settle(struct maintenance *maintenance);
/* Webhooks to be closed or ended are left, or bulk work, or something is under way. */
bool maintenance_are_left(const struct maintenance *maintenance);
bool maintenance_are_busy(const struct maintenance *maintenance);
/* Becomes readable when what was begun is done. */
int maintenance_fd(const struct maintenance *maintenance);

#endif
