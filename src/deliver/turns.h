/* SPDX-License-Identifier: MIT
 * Who may send next (docs/deliveries.md 3 and 4): webhooks take turns, each within its window, its rate and what its breaker
 * lets through (webhook/health.h).
 *
 * Two things keep webhooks that hang from holding up the others. Those whose last attempt was no success, or that have had none
 * yet, have half of the slots for all of them together. And the last quarter of the slots, like the last half of that half, is
 * for webhooks that have nothing under way, one for each. No I/O, no clock: times are those of the database. */
#ifndef LEADHOOK_DELIVER_TURNS_H
#define LEADHOOK_DELIVER_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "store/queue/dispatch.h"
#include "webhook/health.h"

struct turns;

struct turns_limits {
	size_t webhooks; /* that are known at a time */
	size_t slots;    /* deliveries under way at a time */
	size_t turn;     /* deliveries that a webhook gets when it is its turn */
};

/* `rules` must stay valid. */
struct turns *turns_new(const struct turns_limits *limits, const struct health_rules *rules);
/* *turns may be NULL, becomes NULL. */
void turns_free(struct turns **turns);

/* This webhook has something due. What the database knows of it is believed while nothing of it is under way. Ignored when
 * there is no room: the next look at the database will offer it again. */
void turns_offer(struct turns *turns, const struct due_webhook *webhook, int64_t now_ms);
/* Only webhooks of these shards (bit i: shard i, webhook/delivery.h) are still ours: others get nothing more until they are
 * offered again. */
void turns_keep(struct turns *turns, uint64_t shards, int64_t now_ms);
/* When turns_take(…, slots, …) gives out something: now, later because of somebody's rate, or CLOCK_NEVER. */
int64_t turns_next_ms(struct turns *turns, size_t slots, int64_t now_ms);
/* Somebody could have something as soon as there are slots. */
bool turns_waiting(const struct turns *turns);
/* `slots` are unused: gives out up to `most` of them, one request for each webhook that got any; answers how many requests, for
 * which there must be room for `most`. The next time goes on with those who are next now. */
size_t turns_take(struct turns *turns, size_t slots, size_t most, int64_t now_ms, struct due_request *requests);
/* A delivery got its slot. */
void turns_started(struct turns *turns, uint64_t webhook_id, int64_t now_ms);
/* All that the last turns_take asked for has been started: whoever had less than that has nothing more due. Its requests are
 * read again, for where to go on. */
void turns_settle(struct turns *turns, int64_t now_ms);

/* What an attempt came to. *health: the webhook's from now on. */
enum health_change turns_attempted(
    struct turns *turns, uint64_t webhook_id, bool success, int64_t now_ms, struct health *health);
/* How it fares; it is known, something of it is under way. */
struct health turns_health(const struct turns *turns, uint64_t webhook_id);
/* Nothing goes to the webhook until `until_ms`. False when it was silenced for as long already. Held in memory only while
 * something of it is under way: afterwards the database knows. */
bool turns_silence(struct turns *turns, uint64_t webhook_id, int64_t until_ms);
/* Until when nothing goes to it, because it is silenced or its breaker waits; not later than now: it is not held. */
int64_t turns_held_until_ms(const struct turns *turns, uint64_t webhook_id);
/* A delivery gave its slot back. */
void turns_ended(struct turns *turns, uint64_t webhook_id, int64_t now_ms);

#endif
