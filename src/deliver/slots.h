/* SPDX-License-Identifier: MIT
 * The slots of a dispatcher. A delivery has one from its claim until its outcome is committed: unused → sending → ended
 * (→ postponed) → unused. Their number is what a kill at the worst moment can send twice. No I/O, no clock. */
#ifndef LEADHOOK_DELIVER_SLOTS_H
#define LEADHOOK_DELIVER_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/pool.h"
#include "deliver/sender.h"
#include "store/queue/dispatch.h"
#include "webhook/retry.h"

struct slots;
struct slot;

struct slots *slots_new(size_t count);
/* *slots may be NULL, becomes NULL. */
void slots_free(struct slots **slots);

size_t slots_unused(const struct slots *slots);
size_t slots_used(const struct slots *slots);
size_t slots_sending(const struct slots *slots);
size_t slots_ended(const struct slots *slots);
/* The one whose attempt ended first; or NULL. */
struct slot *slots_first_ended(const struct slots *slots);
/* Those that were postponed are none of these any more. */
struct slot *slots_first_postponed(const struct slots *slots);
/* When the oldest of what is in slots was claimed; CLOCK_NEVER: none is in use. */
int64_t slots_oldest_ms(const struct slots *slots);

/* What an attempt came to for its webhook. */
struct webhook_result {
	unsigned failures, probes; /* webhook/health.h, afterwards */
	int64_t held_until_ms;     /* nothing goes to it before */
	enum webhook_state state;  /* ACTIVE: as it was */
};

/* Times are those of one clock that never goes back. `claimed_ms`: from when its claim
 * counts. More deliveries than unused slots are a defect and end the process. */
struct slot *slots_take(struct slots *slots, const struct due_delivery *delivery, int64_t claimed_ms, int64_t now_ms);
/* By which it is tried again; must stay valid until slot_release. */
void slot_set_schedule(struct slot *slot, const struct retry_schedule *schedule);
/* The attempt is done; what of `result` is needed is copied. */
void slot_end(struct slot *slot, const struct attempt_result *result, const struct retry_decision *decision,
    const struct webhook_result *webhook, int64_t now_ms);
/* The outcome is committed, or given up. */
void slot_release(struct slot *slot);
/* Somebody stands in the way of its outcome: it is behind all that were postponed. */
void slot_postpone(struct slot *slot);
/* So it is with what has ended of the same webhooks: the same one may stand in the way. */
void slots_follow_postponed(struct slots *slots);
/* One that was postponed, and claimed before `since_ms`; or NULL. */
struct slot *slots_stuck(const struct slots *slots, int64_t since_ms);
/* Its outcome is recorded: those of its webhook that ended before, and were postponed, come late. */
void slot_overtake(const struct slot *slot);
/* Its outcome is perhaps recorded already. */
void slot_mark_unknown(struct slot *slot);
bool slot_is_unknown(const struct slot *slot);
/* The one behind it, of those that have ended, or that were postponed. */
struct slot *slot_next(const struct slot *slot);

/* Lives until slot_release: what is sent belongs there. */
struct pool *slot_pool(struct slot *slot);
struct slice slot_event(const struct slot *slot);
const struct retry_schedule *slot_schedule(const struct slot *slot);
/* With this one, since it was sent first, or again. */
unsigned slot_attempts_made(const struct slot *slot);
uint64_t slot_delivery_id(const struct slot *slot);
uint64_t slot_webhook_id(const struct slot *slot);
int64_t slot_ended_ms(const struct slot *slot);
/* What is to be recorded. Its times count from now, which may be long after the attempt when the database was away. Texts
 * live until slot_release. */
struct delivery_outcome slot_outcome(const struct slot *slot, int64_t now_ms);
/* Those of the attempts that ended first, up to `capacity`; answers how many. */
size_t slots_outcomes(const struct slots *slots, int64_t now_ms, struct delivery_outcome *outcomes, size_t capacity);

#endif
