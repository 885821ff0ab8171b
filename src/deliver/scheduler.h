/* SPDX-License-Identifier: MIT
 * Who may send next (docs/deliveries.md 3 and 4): webhooks take turns, each within its window, its rate and what its
 * breaker lets through (webhook/health.h).
 *
 * Two things keep webhooks that hang from holding up the others. Those whose last attempt was no success, or that have had none
 * yet, have half of the slots for all of them together. And the last quarter of the slots, like the last half of that half, is
 * for webhooks that have nothing under way, one for each. No I/O, no clock: times are those of the database. */
#ifndef LEADHOOK_DELIVER_SCHEDULER_H
#define LEADHOOK_DELIVER_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "store/queue/dispatch.h"
#include "webhook/health.h"

struct scheduler;

struct scheduler_limits {
	size_t webhooks; /* that are known at a time */
	size_t slots;    /* deliveries under way at a time */
	size_t turn;     /* deliveries that a webhook gets when it is its turn */
};

/* `rules` must stay valid. */
struct scheduler *scheduler_new(const struct scheduler_limits *limits, const struct health_rules *rules);
/* *scheduler may be NULL, becomes NULL. */
void scheduler_free(struct scheduler **scheduler);

/* This webhook has something due. What the database knows of it is believed while nothing of it is under way. Ignored when
 * there is no room: the next look at the database will offer it again. */
void scheduler_offer(struct scheduler *scheduler, const struct due_webhook *webhook, int64_t now_ms);
/* Only webhooks of these shards (bit i: shard i, webhook/delivery.h) are still ours: others get nothing more until they are
 * offered again. */
void scheduler_retain(struct scheduler *scheduler, uint64_t shards, int64_t now_ms);
/* When scheduler_take(…, slots, …) gives out something: now, later because of somebody's rate, or CLOCK_NEVER. */
int64_t scheduler_next_ms(struct scheduler *scheduler, size_t slots, int64_t now_ms);
/* Somebody could have something as soon as there are slots. */
bool scheduler_waiting(const struct scheduler *scheduler);
/* `slots` are unused: gives out up to `most` of them, one request for each webhook that got any; answers how many requests, for
 * which there must be room for `most`. The next time goes on with those who are next now. */
size_t scheduler_take(struct scheduler *scheduler, size_t slots, size_t most, int64_t now_ms, struct due_request *requests);
/* A delivery got its slot. */
void scheduler_started(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms);
/* All that the last scheduler_take asked for has been started: whoever had less than that has nothing more due. Its requests
 * are read again, for where to go on. */
void scheduler_settle(struct scheduler *scheduler, int64_t now_ms);

/* What an attempt came to. *health: the webhook's from now on. */
enum health_change scheduler_attempted(
    struct scheduler *scheduler, uint64_t webhook_id, bool success, int64_t now_ms, struct health *health);
/* How it fares; it is known, something of it is under way. */
struct health scheduler_health(const struct scheduler *scheduler, uint64_t webhook_id);
/* Nothing goes to the webhook until `until_ms`. False when it was silenced for as long already. Held in memory only while
 * something of it is under way: afterwards the database knows. */
bool scheduler_hold(struct scheduler *scheduler, uint64_t webhook_id, int64_t until_ms);
/* Until when nothing goes to it, because it is silenced or its breaker waits; not later than now: it is not held. */
int64_t scheduler_held_until_ms(const struct scheduler *scheduler, uint64_t webhook_id);
/* A delivery gave its slot back. */
void scheduler_ended(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms);

#endif
