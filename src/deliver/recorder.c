/* SPDX-License-Identifier: MIT */
#include "deliver/recorder.h"

#include <stdlib.h>

#include "base/duration.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"

enum {
	BATCH = 256,            /* maximum of outcomes */
	FLUSH_COUNT = 64,       /* a batch is recorded when there are this many outcomes … */
	FLUSH_MS = 5,           /* … or after this time (docs/deliveries.md 3, guarantee) */
	CONFLICTS = 3,          /* tries to record a batch; then its outcomes are recorded one at a time */
	REJECTED_MS = MINUTE_MS /* from the rejection of an outcome until its delivery may be sent again */
};

struct recorder {
	struct tasks *tasks;
	struct slots *slots;
	const unsigned char *owner;
	recorder_released *released;
	void *context;
	struct delivery_outcome outcomes[BATCH]; /* in the order in which the attempts ended */
	size_t count;                            /* how many are being recorded */
	enum result result;                      /* the result for the batch */
	size_t singly;           /* outcomes to record one at a time, because one of them is invalid or conflicts */
	bool retrying;           /* a postponed outcome is being recorded by itself */
	unsigned conflicts;      /* consecutive conflicts of this batch */
	struct back_off blocked; /* back-off of postponed outcomes */
	bool ending;
};

/* True when no more attempts will end. */
static bool
is_last(const struct recorder *r)
{
	return r->ending && slots_in(r->slots, SLOT_SENDING) == 0;
}

/* When the next slot of a rejected outcome is released. */
static int64_t
when_released(const struct recorder *r)
{
	const struct slot *first = slots_first(r->slots, SLOT_OUTCOME_REJECTED);
	return first == NULL ? CLOCK_NEVER : is_last(r) ? 0 : first->since_ms + REJECTED_MS;
}

static int64_t
when_record(const void *context)
{
	const struct recorder *r = context;
	const size_t ended = slots_in(r->slots, SLOT_ENDED);
	int64_t when = when_released(r);
	if (slots_first(r->slots, SLOT_OUTCOME_POSTPONED) != NULL && when > r->blocked.until_ms)
		when = r->blocked.until_ms;
	if (ended == 0)
		return when;
	const int64_t full = slots_first(r->slots, SLOT_ENDED)->since_ms + FLUSH_MS;
	return is_last(r) || ended >= FLUSH_COUNT ? 0 : full < when ? full : when;
}

static void
release(struct recorder *r, struct slot *slot, const struct delivery_outcome *outcome)
{
	r->released(r->context, slot, outcome);
	slot_release(slot);
}

/* Releases the slots of rejected outcomes; their deliveries are still due, and are sent again. */
static void
release_rejected(struct recorder *r)
{
	const int64_t now = clock_monotonic_ms();
	while (when_released(r) <= now) {
		struct slot *slot = slots_first(r->slots, SLOT_OUTCOME_REJECTED);
		(void)slots_outcomes(slot, now, r->outcomes, 1);
		release(r, slot, r->outcomes);
	}
}

/* The first slot of the batch being recorded. */
static struct slot *
first_slot(const struct recorder *r)
{
	return slots_first(r->slots, r->retrying ? SLOT_OUTCOME_POSTPONED : SLOT_ENDED);
}

static void
begin_batch(void *context)
{
	struct recorder *r = context;
	const int64_t now = clock_monotonic_ms();
	release_rejected(r);
	slots_postpone_followers(r->slots);
	if (r->singly > slots_in(r->slots, SLOT_ENDED))
		r->singly = slots_in(r->slots, SLOT_ENDED);
	r->retrying = slots_first(r->slots, SLOT_OUTCOME_POSTPONED) != NULL && now >= r->blocked.until_ms;
	r->count = slots_outcomes(first_slot(r), now, r->outcomes, r->retrying || r->singly > 0 ? 1 : BATCH);
}

/* Runs in the thread. A result other than RESULT_OK is a reason to wait before the next batch. */
static enum result
record(struct store *store, void *context)
{
	struct recorder *r = context;
	r->result = RESULT_OK;
	if (r->count == 0)
		return RESULT_OK;
	log_work(r->count == 1 ? LOG_UINT("delivery", r->outcomes[0].id) : LOG_UINT("deliveries", r->count));
	r->result = store_record_outcomes(store, r->owner, r->outcomes, r->count);
	log_work_done();
	if (r->result == RESULT_UNAVAILABLE || r->result == RESULT_UNKNOWN)
		return r->result;
	return r->result == RESULT_CONFLICT && r->count > 1 && ++r->conflicts < CONFLICTS ? RESULT_CONFLICT : RESULT_OK;
}

static void
count_down(struct recorder *r)
{
	if (!r->retrying && r->singly > 0)
		r->singly--;
}

static void
count_end(const struct delivery_outcome *outcome)
{
	if (outcome->state != DELIVERY_PENDING && !outcome->stale)
		metrics_add(
		    METRIC_DELIVERIES, outcome->state == DELIVERY_DELIVERED ? METRIC_ENDED_DELIVERED : METRIC_ENDED_FAILED, 1);
}

static void
note_failure(const struct slot *slot, const struct delivery_outcome *outcome)
{
	if (outcome->state == DELIVERY_FAILED && !outcome->stale)
		log_warning("delivery_failed", LOG_BYTES("event", slot->delivery.event), LOG_UINT("delivery", outcome->id),
		    LOG_UINT("webhook", outcome->webhook_id), LOG_UINT("attempts", outcome->attempt),
		    LOG_INT("status", outcome->status), LOG_BYTES("error", outcome->error));
}

static void
release_recorded(struct recorder *r)
{
	size_t lost = 0;
	for (size_t i = 0; i < r->count; i++) {
		struct slot *slot = first_slot(r);
		if (slot->unknown)
			r->outcomes[i].stale = false; /* an earlier try has recorded it */
		lost += r->outcomes[i].stale ? 1 : 0;
		count_end(&r->outcomes[i]);
		note_failure(slot, &r->outcomes[i]);
		slots_mark_earlier_late(slot);
		release(r, slot, &r->outcomes[i]);
		count_down(r);
	}
	if (lost > 0)
		log_warning("outcomes_stale", LOG_UINT("deliveries", lost));
	if (r->retrying)
		r->blocked = (struct back_off){ 0 };
	else
		r->conflicts = 0;
}

/* A single outcome was rejected or conflicts with another transaction. */
static void
handle_single_rejection(struct recorder *r, enum result result)
{
	if (result != RESULT_CONFLICT) {
		log_error("outcome_lost", LOG_UINT("delivery", r->outcomes[0].id), LOG_STR("result", result_text(result)));
		slot_reject_outcome(first_slot(r), clock_monotonic_ms());
	} else {
		slot_postpone_outcome(first_slot(r));
		back_off(&r->blocked, "record", result);
	}
	count_down(r);
}

/* A single outcome may be the reason why the statements were rejected or conflict with another transaction. */
static void
recorded(void *context, enum result result)
{
	struct recorder *r = context;
	if (r->result == RESULT_OK)
		release_recorded(r);
	else if (r->result == RESULT_UNKNOWN) /* the commit may have succeeded */
		slots_mark_unknown(first_slot(r), r->count);
	else if (result == RESULT_OK && r->count == 1)
		handle_single_rejection(r, r->result);
	else if (result == RESULT_OK)
		r->singly = r->count;
	r->count = 0;
}

static const struct task table[] = { { "record", when_record, begin_batch, record, recorded } };

struct recorder *
recorder_new(struct event_loop *loop, struct store *store, struct slots *slots, const unsigned char owner[DISPATCH_OWNER_SIZE],
    recorder_released *released, void *context)
{
	struct recorder *r = memory_alloc(sizeof(*r));
	r->slots = slots;
	r->owner = owner;
	r->released = released;
	r->context = context;
	r->tasks = tasks_new(loop, store, table, ARRAY_SIZE(table), r);
	if (r->tasks == NULL)
		recorder_free(&r);
	return r;
}

void
recorder_free(struct recorder **recorder)
{
	if (*recorder == NULL)
		return;
	tasks_free(&(*recorder)->tasks);
	free(*recorder);
	*recorder = NULL;
}

struct tasks *
recorder_tasks(const struct recorder *r)
{
	return r->tasks;
}

void
recorder_end(struct recorder *r)
{
	r->ending = true;
}
