/* SPDX-License-Identifier: MIT
 * What a dispatcher does beside delivering, in a thread of its own and a chunk at a time: it ends the deliveries of webhooks
 * that are no more, keeps house, and does queued bulk work (docs/deliveries.md 4 and 6). They take turns; one that fails waits,
 * and the others go on. */
#ifndef LEADHOOK_DELIVER_CHORES_H
#define LEADHOOK_DELIVER_CHORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "deliver/runner.h"
#include "webhook/delivery.h"

struct chores;

/* NULL, logged, when there can be no thread. */
struct chores *chores_new(struct store *store);
/* Waits for what is under way; *chores may be NULL, becomes NULL. */
void chores_free(struct chores **chores);

/* These webhooks were removed or are gone, as far as a look at all that is due has shown. Those for which there is no room are
 * told again by the next look. */
void chores_end_webhooks(struct chores *chores, const uint64_t *webhook_ids, size_t count);
/* The webhook is to be closed (store_close_webhook). Where there is no room its next attempt reports that again. */
void chores_close_webhook(struct chores *chores, uint64_t webhook_id, enum webhook_state state);
/* A bulk job is queued, or none is. */
void chores_bulk_work(struct chores *chores, bool queued);

/* When chores_begin has something to do, by clock_monotonic_ms; CLOCK_NEVER: not before something has happened. */
int64_t chores_when(const struct chores *chores);
/* `keeps_days`: whether housekeeping looks after the days of the history (store_housekeeping). */
void chores_begin(struct chores *chores, bool keeps_days);

/* What was begun is done: chores_settle sees to it. */
bool chores_are_done(const struct chores *chores);
/* True: there may be something new to deliver, or to end. */
bool chores_settle(struct chores *chores);
/* Webhooks to be closed or ended are left, or bulk work, or something is under way. */
bool chores_are_left(const struct chores *chores);
bool chores_are_busy(const struct chores *chores);
/* Becomes readable when what was begun is done. */
int chores_fd(const struct chores *chores);

#endif
