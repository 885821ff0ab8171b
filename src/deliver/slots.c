/* SPDX-License-Identifier: MIT */
#include "deliver/slots.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/panic.h"

TAILQ_HEAD(slot_list, slot);

struct slots {
	struct slot *all;
	size_t count;
	struct slot_list lists[SLOT_STATES]; /* those that have been in the state for the longest time come first */
	size_t counts[SLOT_STATES];
	uint64_t ends;
	pthread_t thread; /* only this thread changes slots */
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
	require(pthread_equal(slot->slots->thread, pthread_self()));
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
	slots->thread = pthread_self();
	for (size_t i = 0; i < SLOT_STATES; i++)
		TAILQ_INIT(&slots->lists[i]);
	for (size_t i = 0; i < count; i++) {
		slots->all[i] = (struct slot){ .slots = slots, .place = i, .pool = pool_new() };
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

size_t
slots_under_way(const struct slots *slots)
{
	return slots_used(slots) - slots->counts[SLOT_FETCHED];
}

struct id_set
slots_ids(const struct slots *slots, struct pool *pool)
{
	uint64_t *ids = POOL_ARRAY(pool, slots_used(slots), uint64_t);
	size_t count = 0;
	const struct slot *slot;
	for (size_t state = SLOT_FETCHED; state < SLOT_STATES; state++)
		TAILQ_FOREACH (slot, &slots->lists[state], list)
			ids[count++] = slot->delivery.id;
	return id_set(ids, count);
}

static struct destination
copy_destination(struct pool *pool, const struct destination *from)
{
	return (struct destination){
		.webhook_id = from->webhook_id,
		.state = from->state,
		.sealed = from->sealed,
		.url = pool_copy(pool, from->url),
		.secret = pool_copy(pool, from->secret),
		.previous_secret = pool_copy(pool, from->previous_secret),
		.schedule = pool_copy(pool, from->schedule),
		.accepts = pool_copy(pool, from->accepts),
		.ca_file = pool_copy(pool, from->ca_file),
		.client_certificate = pool_copy(pool, from->client_certificate),
		.client_key = pool_copy(pool, from->client_key),
	};
}

struct slot *
slots_take(struct slots *slots, const struct due_delivery *delivery, int64_t now_ms)
{
	struct slot *slot = TAILQ_FIRST(&slots->lists[SLOT_UNUSED]);
	if (slot == NULL)
		panic("no slot is unused");
	move(slot, SLOT_FETCHED);
	slot->since_ms = now_ms;
	slot->next = NULL;
	slot->destination = copy_destination(slot->pool, delivery->destination);
	slot->delivery = *delivery;
	slot->delivery.destination = &slot->destination;
	slot->delivery.message_id = pool_copy(slot->pool, delivery->message_id);
	slot->delivery.payload = pool_copy(slot->pool, delivery->payload);
	return slot;
}

void
slot_start(struct slot *slot, const struct retry_schedule *schedule, int64_t now_ms)
{
	if (slot->state != SLOT_FETCHED)
		panic("a slot without a fetched delivery starts");
	move(slot, SLOT_SENDING);
	slot->schedule = schedule;
	slot->since_ms = now_ms;
	slot->unknown = false;
}

void
slot_end(struct slot *slot, const struct delivery_outcome *outcome, int64_t now_ms)
{
	if (slot->state != SLOT_SENDING)
		panic("a slot that is not sending ends");
	move(slot, SLOT_ENDED);
	slot->outcome = *outcome;
	slot->outcome.answer = pool_copy(slot->pool, outcome->answer);
	slot->outcome.started_ms_ago = now_ms - slot->since_ms;
	slot->since_ms = now_ms;
	slot->end_number = slot->slots->ends++;
}

static void
require_ended(const struct slot *slot)
{
	if (slot->state < SLOT_ENDED)
		panic("a slot has not ended");
}

void
slot_release(struct slot *slot)
{
	if (slot->state == SLOT_UNUSED || slot->state == SLOT_SENDING)
		panic("a slot that is unused or sending is released");
	move(slot, SLOT_UNUSED);
	pool_reset(slot->pool);
}

void
slot_postpone_outcome(struct slot *slot)
{
	require_ended(slot);
	move(slot, SLOT_OUTCOME_POSTPONED);
}

void
slot_reject_outcome(struct slot *slot, int64_t now_ms)
{
	require_ended(slot);
	move(slot, SLOT_OUTCOME_REJECTED);
	slot->since_ms = now_ms;
}

static bool
has_postponed(const struct slots *slots, uint64_t webhook_id)
{
	const struct slot *slot;
	TAILQ_FOREACH (slot, &slots->lists[SLOT_OUTCOME_POSTPONED], list) {
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

void
slots_mark_earlier_late(const struct slot *slot)
{
	require_ended(slot);
	struct slot *other;
	TAILQ_FOREACH (other, &slot->slots->lists[SLOT_OUTCOME_POSTPONED], list) {
		if (other->outcome.webhook_id == slot->outcome.webhook_id && other->end_number < slot->end_number)
			other->outcome.late = true;
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

unsigned
slot_attempts_made(const struct slot *slot)
{
	return slot->delivery.attempt - slot->delivery.attempts_before;
}

static int64_t
remaining_ms(int64_t ms, int64_t passed_ms)
{
	return ms > passed_ms ? ms - passed_ms : 0;
}

size_t
slots_outcomes(const struct slot *first, int64_t now_ms, struct delivery_outcome *outcomes, size_t capacity)
{
	size_t count = 0;
	for (const struct slot *slot = first; slot != NULL && count < capacity; slot = TAILQ_NEXT(slot, list)) {
		const int64_t passed_ms = now_ms - slot->since_ms;
		require_ended(slot);
		outcomes[count] = slot->outcome;
		outcomes[count].started_ms_ago += passed_ms;
		outcomes[count].next_due_in_ms = remaining_ms(slot->outcome.next_due_in_ms, passed_ms);
		outcomes[count++].webhook_hold_ms = remaining_ms(slot->outcome.webhook_hold_ms, passed_ms);
	}
	return count;
}
