/* SPDX-License-Identifier: MIT */
#include "deliver/slots.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/panic.h"

struct slot {
	struct slots *slots;
	enum slot_state state;
	struct pool *pool;
	struct slot_delivery delivery;
	struct delivery_outcome outcome; /* its times are set when it is read */
	struct retry_decision decision;
	int64_t held_until_ms;
	int64_t claimed_ms, started_ms, ended_ms;
	uint64_t end_number; /* increases with each attempt that ends */
	bool unknown, late;
	TAILQ_ENTRY(slot) list;
	TAILQ_ENTRY(slot) age;
};

TAILQ_HEAD(slot_list, slot);

struct slots {
	struct slot *all;
	size_t count;
	struct slot_list lists[SLOT_STATES]; /* longest in the state first */
	size_t counts[SLOT_STATES];
	struct slot_list in_use; /* oldest claim first */
	uint64_t ends;
	pthread_t owner; /* the only thread that changes slots */
};

static const enum delivery_state state_after[] = {
	[RETRY_DELIVERED] = DELIVERY_DELIVERED,
	[RETRY_LATER] = DELIVERY_PENDING,
	[RETRY_EXHAUSTED] = DELIVERY_FAILED,
	[RETRY_GONE] = DELIVERY_FAILED,
};

static void
enter(struct slot *slot, enum slot_state state)
{
	TAILQ_INSERT_TAIL(&slot->slots->lists[state], slot, list);
	slot->slots->counts[state]++;
	slot->state = state;
}

static void
move(struct slot *slot, enum slot_state to)
{
	require(pthread_equal(slot->slots->owner, pthread_self()));
	TAILQ_REMOVE(&slot->slots->lists[slot->state], slot, list);
	slot->slots->counts[slot->state]--;
	enter(slot, to);
}

struct slots *
slots_new(size_t count)
{
	struct slots *slots = memory_alloc(sizeof(*slots));
	slots->all = memory_alloc(count * sizeof(*slots->all));
	slots->count = count;
	slots->owner = pthread_self();
	for (size_t i = 0; i < SLOT_STATES; i++)
		TAILQ_INIT(&slots->lists[i]);
	TAILQ_INIT(&slots->in_use);
	for (size_t i = 0; i < count; i++) {
		slots->all[i].slots = slots;
		slots->all[i].pool = pool_new();
		enter(&slots->all[i], SLOT_UNUSED);
	}
	return slots;
}

void
slots_free(struct slots **slots)
{
	if (*slots == NULL)
		return;
	for (size_t i = 0; i < (*slots)->count; i++)
		pool_free(&(*slots)->all[i].pool);
	free((*slots)->all);
	free(*slots);
	*slots = NULL;
}

size_t
slots_in(const struct slots *slots, enum slot_state state)
{
	return slots->counts[state];
}

struct slot *
slots_first(const struct slots *slots, enum slot_state state)
{
	return TAILQ_FIRST(&slots->lists[state]);
}

size_t
slots_used(const struct slots *slots)
{
	return slots->count - slots->counts[SLOT_UNUSED];
}

int64_t
slots_oldest_ms(const struct slots *slots)
{
	const struct slot *oldest = TAILQ_FIRST(&slots->in_use);
	return oldest == NULL ? CLOCK_NEVER : oldest->claimed_ms;
}

struct slot *
slots_take(struct slots *slots, const struct due_delivery *delivery, int64_t claimed_ms, int64_t now_ms)
{
	struct slot *slot = TAILQ_FIRST(&slots->lists[SLOT_UNUSED]);
	if (slot == NULL)
		panic("no slot is unused");
	require(claimed_ms <= now_ms);
	require(TAILQ_EMPTY(&slots->in_use) || TAILQ_LAST(&slots->in_use, slot_list)->claimed_ms <= claimed_ms);
	move(slot, SLOT_SENDING);
	TAILQ_INSERT_TAIL(&slots->in_use, slot, age);
	slot->claimed_ms = claimed_ms;
	slot->started_ms = now_ms;
	slot->unknown = slot->late = false;
	slot->delivery = (struct slot_delivery){
		.id = delivery->id,
		.webhook_id = delivery->destination->webhook_id,
		.event = delivery->event,
		.attempts_made = delivery->attempt - delivery->attempts_before,
	};
	slot->outcome = (struct delivery_outcome){
		.id = delivery->id,
		.webhook_id = delivery->destination->webhook_id,
		.token = pool_copy(slot->pool, delivery->token),
		.attempt = delivery->attempt,
	};
	return slot;
}

void
slot_end(struct slot *slot, const struct attempt_result *result, const struct retry_decision *decision,
    const struct webhook_effect *webhook, int64_t now_ms)
{
	if (slot->state != SLOT_SENDING)
		panic("a slot that is not sending ends");
	move(slot, SLOT_ENDED);
	slot->ended_ms = now_ms;
	slot->end_number = slot->slots->ends++;
	slot->decision = *decision;
	slot->outcome.state = state_after[decision->kind];
	slot->held_until_ms = webhook->held_until_ms;
	slot->outcome.webhook_state = webhook->state;
	slot->outcome.webhook_failures = webhook->failures;
	slot->outcome.webhook_probes = webhook->probes;
	slot->outcome.duration_ms = result->duration_ms;
	slot->outcome.status = result->status;
	slot->outcome.error = sender_error_name(result->error);
	slot->outcome.answer = pool_copy(slot->pool, result->answer);
}

static void
require_ended(const struct slot *slot)
{
	if (slot->state != SLOT_ENDED && slot->state != SLOT_OUTCOME_POSTPONED)
		panic("a slot has not ended");
}

void
slot_release(struct slot *slot)
{
	require_ended(slot);
	move(slot, SLOT_UNUSED);
	TAILQ_REMOVE(&slot->slots->in_use, slot, age);
	pool_reset(slot->pool);
}

void
slot_postpone_outcome(struct slot *slot)
{
	require_ended(slot);
	move(slot, SLOT_OUTCOME_POSTPONED);
}

static bool
has_postponed(const struct slots *slots, uint64_t webhook_id)
{
	const struct slot *slot;
	TAILQ_FOREACH(slot, &slots->lists[SLOT_OUTCOME_POSTPONED], list)
	{
		if (slot->outcome.webhook_id == webhook_id)
			return true;
	}
	return false;
}

void
slots_postpone_followers(struct slots *slots)
{
	struct slot *next;
	if (TAILQ_EMPTY(&slots->lists[SLOT_OUTCOME_POSTPONED]))
		return;
	for (struct slot *slot = slots_first(slots, SLOT_ENDED); slot != NULL; slot = next) {
		next = TAILQ_NEXT(slot, list);
		if (has_postponed(slots, slot->outcome.webhook_id))
			move(slot, SLOT_OUTCOME_POSTPONED);
	}
}

struct slot *
slots_stuck(const struct slots *slots, int64_t since_ms)
{
	struct slot *slot;
	TAILQ_FOREACH(slot, &slots->lists[SLOT_OUTCOME_POSTPONED], list)
	{
		if (slot->claimed_ms < since_ms)
			return slot;
	}
	return NULL;
}

void
slots_mark_earlier_late(const struct slot *slot)
{
	require_ended(slot);
	struct slot *other;
	TAILQ_FOREACH(other, &slot->slots->lists[SLOT_OUTCOME_POSTPONED], list)
	{
		if (other->outcome.webhook_id == slot->outcome.webhook_id && other->end_number < slot->end_number)
			other->late = true;
	}
}

void
slots_mark_unknown(struct slot *first, size_t count)
{
	for (struct slot *slot = first; count > 0; count--, slot = TAILQ_NEXT(slot, list)) {
		require_ended(slot);
		slot->unknown = true;
	}
}

bool
slot_is_unknown(const struct slot *slot)
{
	return slot->unknown;
}

struct pool *
slot_pool(struct slot *slot)
{
	return slot->pool;
}

void
slot_set_schedule(struct slot *slot, const struct retry_schedule *schedule)
{
	slot->delivery.schedule = schedule;
}

const struct slot_delivery *
slot_delivery(const struct slot *slot)
{
	return &slot->delivery;
}

int64_t
slot_ended_ms(const struct slot *slot)
{
	return slot->ended_ms;
}

static int64_t
remaining_ms(int64_t ms, int64_t passed_ms)
{
	return ms > passed_ms ? ms - passed_ms : 0;
}

struct delivery_outcome
slot_outcome(const struct slot *slot, int64_t now_ms)
{
	require_ended(slot);
	struct delivery_outcome outcome = slot->outcome;
	outcome.late = slot->late;
	outcome.started_ms_ago = now_ms - slot->started_ms;
	outcome.next_due_in_ms = remaining_ms(slot->decision.delay_ms, now_ms - slot->ended_ms);
	outcome.webhook_hold_ms = slot->held_until_ms > now_ms ? slot->held_until_ms - now_ms : 0;
	return outcome;
}

size_t
slots_outcomes(const struct slot *first, int64_t now_ms, struct delivery_outcome *outcomes, size_t capacity)
{
	size_t count = 0;
	for (const struct slot *slot = first; slot != NULL && count < capacity; slot = TAILQ_NEXT(slot, list))
		outcomes[count++] = slot_outcome(slot, now_ms);
	return count;
}
