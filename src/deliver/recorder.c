/* SPDX-License-Identifier: MIT */
#include "deliver/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/panic.h"
#include "deliver/back_off.h"

enum {
	BATCH = 256,            /* outcomes, at most */
	FLUSH_COUNT = 64,       /* a batch is recorded when it has that many outcomes … */
	FLUSH_MS = 5,           /* … or after that time (docs/deliveries.md 3, guarantee) */
	CONFLICTS = 3,          /* of a batch; then its outcomes are recorded one at a time */
	REJECTED_MS = 60 * 1000 /* from the rejection of an outcome until its delivery may be sent again */
};

struct recorder {
	struct runner *runner;
	struct slots *slots;
	unsigned char owner[DISPATCH_OWNER_SIZE];
	recorder_released *released;
	void *context;
	struct delivery_outcome outcomes[BATCH]; /* in the order in which the attempts ended */
	size_t count;                            /* being recorded */
	size_t singly;           /* outcomes to record one at a time, because one of them is invalid or conflicts */
	bool retrying;           /* a postponed outcome is recorded, alone */
	unsigned conflicts;      /* of this batch, consecutive */
	struct back_off pause;   /* database unavailable */
	struct back_off blocked; /* postponed outcomes */
};

struct recorder *
recorder_new(struct store *store, struct slots *slots, const unsigned char owner[DISPATCH_OWNER_SIZE],
    recorder_released *released, void *context)
{
	struct recorder *r = memory_alloc(sizeof(*r));
	r->slots = slots;
	memcpy(r->owner, owner, sizeof(r->owner));
	r->released = released;
	r->context = context;
	r->runner = runner_new(store);
	if (r->runner == NULL)
		recorder_free(&r);
	return r;
}

void
recorder_free(struct recorder **recorder)
{
	if (*recorder == NULL)
		return;
	runner_free(&(*recorder)->runner);
	free(*recorder);
	*recorder = NULL;
}

/* When the next slot of a rejected outcome is released. */
static int64_t
when_released(const struct recorder *r, bool last)
{
	const struct slot *first = slots_first(r->slots, SLOT_OUTCOME_REJECTED);
	return first == NULL ? CLOCK_NEVER : last ? 0 : slot_since_ms(first) + REJECTED_MS;
}

static int64_t
when_recorded(const struct recorder *r, bool last)
{
	const size_t ended = slots_in(r->slots, SLOT_ENDED);
	int64_t when = CLOCK_NEVER;
	if (ended > 0)
		when = last || ended >= FLUSH_COUNT ? 0 : slot_since_ms(slots_first(r->slots, SLOT_ENDED)) + FLUSH_MS;
	if (slots_first(r->slots, SLOT_OUTCOME_POSTPONED) != NULL && when > r->blocked.until_ms)
		when = r->blocked.until_ms;
	return when > r->pause.until_ms ? when : r->pause.until_ms;
}

int64_t
recorder_when(const struct recorder *r, bool last)
{
	const int64_t recorded = when_recorded(r, last), released = when_released(r, last);
	return r->count > 0 ? CLOCK_NEVER : recorded < released ? recorded : released;
}

/* Runs in the thread. */
static enum result
complete(struct store *store, void *context)
{
	struct recorder *r = context;
	log_work(r->count == 1 ? LOG_UINT("delivery", r->outcomes[0].id) : LOG_UINT("deliveries", r->count));
	enum result result = store_record_outcomes(store, r->owner, r->outcomes, r->count);
	log_work_done();
	return result;
}

static void
release(struct recorder *r, struct slot *slot, const struct delivery_outcome *outcome)
{
	r->released(r->context, slot, outcome);
	slot_release(slot);
}

/* The delivery is due, and is sent again. */
static void
release_rejected(struct recorder *r, bool last)
{
	const int64_t now = clock_monotonic_ms();
	while (when_released(r, last) <= now) {
		struct slot *slot = slots_first(r->slots, SLOT_OUTCOME_REJECTED);
		const struct delivery_outcome outcome = slot_outcome(slot, now);
		release(r, slot, &outcome);
	}
}

/* The first slot of the batch being recorded. */
static struct slot *
first_slot(const struct recorder *r)
{
	return slots_first(r->slots, r->retrying ? SLOT_OUTCOME_POSTPONED : SLOT_ENDED);
}

void
recorder_begin(struct recorder *r, bool last)
{
	require(r->count == 0);
	release_rejected(r, last);
	const int64_t now = clock_monotonic_ms();
	if (when_recorded(r, last) > now)
		return;
	slots_postpone_followers(r->slots);
	if (r->singly > slots_in(r->slots, SLOT_ENDED))
		r->singly = slots_in(r->slots, SLOT_ENDED);
	r->retrying = slots_first(r->slots, SLOT_OUTCOME_POSTPONED) != NULL && now >= r->blocked.until_ms;
	r->count = slots_outcomes(first_slot(r), now, r->outcomes, r->retrying || r->singly > 0 ? 1 : BATCH);
	if (r->count > 0)
		runner_start(r->runner, complete, r);
}

bool
recorder_is_busy(const struct recorder *r)
{
	return r->count > 0;
}

int
recorder_fd(const struct recorder *r)
{
	return runner_fd(r->runner);
}

static void
count_down(struct recorder *r)
{
	if (!r->retrying && r->singly > 0)
		r->singly--;
}

static void
note_failure(const struct slot *slot, const struct delivery_outcome *outcome)
{
	if (outcome->state == DELIVERY_FAILED && !outcome->stale)
		log_warning("delivery_failed", LOG_BYTES("event", slot_delivery(slot)->event),
		    LOG_UINT("delivery", outcome->id), LOG_UINT("webhook", outcome->webhook_id),
		    LOG_UINT("attempts", outcome->attempt), LOG_INT("status", outcome->status),
		    LOG_BYTES("error", outcome->error));
}

static void
recorded(struct recorder *r, size_t count)
{
	size_t lost = 0;
	for (size_t i = 0; i < count; i++) {
		struct slot *slot = first_slot(r);
		if (slot_is_unknown(slot))
			r->outcomes[i].stale = false; /* it was recorded before */
		lost += r->outcomes[i].stale ? 1 : 0;
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
	r->pause = (struct back_off){ 0 };
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

/* The statements were rejected or conflict with another transaction. Only one of the outcomes may be the cause. */
static void
handle_rejection(struct recorder *r, size_t count, enum result result)
{
	if (count == 1)
		handle_single_rejection(r, result);
	else if (result != RESULT_CONFLICT || ++r->conflicts >= CONFLICTS)
		r->singly = count;
	else
		back_off(&r->pause, "record", result);
}

void
recorder_collect(struct recorder *r)
{
	enum result result = RESULT_OK;
	const size_t count = r->count;
	if (!runner_take(r->runner, &result))
		return;
	r->count = 0;
	if (result == RESULT_OK) {
		recorded(r, count);
	} else if (result == RESULT_UNAVAILABLE || result == RESULT_UNKNOWN) {
		if (result == RESULT_UNKNOWN) /* the commit may have succeeded */
			slots_mark_unknown(first_slot(r), count);
		back_off(&r->pause, "record", result);
	} else {
		handle_rejection(r, count, result);
	}
}
