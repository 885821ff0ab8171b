/* SPDX-License-Identifier: MIT */
#include "deliver/recorder.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "deliver/back_off.h"

enum {
	BATCH = 256,                /* outcomes, at most */
	FLUSH_COUNT = 64,           /* they are recorded after that many … */
	FLUSH_MS = 5,               /* … or that long (delivery.md 3, guarantee) */
	CONFLICTS = 3,              /* of a batch, until they are recorded one by one */
	STUCK_MARGIN_MS = 10 * 1000 /* so long before its claim ends what meets nothing but conflicts is given up */
};

struct recorder {
	struct runner *runner;
	struct slots *slots;
	int64_t lease_ms;
	recorder_released *released;
	void *context;
	struct delivery_outcome outcomes[BATCH]; /* of the slots whose attempts ended first */
	size_t count;                            /* that are being recorded */
	size_t singly;      /* so many are recorded one by one, because something is wrong with one of them */
	unsigned conflicts; /* of this batch, in a row */
	bool perhaps_done;  /* this batch was recorded before, for all we know */
	struct back_off away;
};

struct recorder *
recorder_new(struct store *store, struct slots *slots, int64_t lease_ms, recorder_released *released, void *context)
{
	struct recorder *r = memory_alloc(sizeof(*r));
	r->slots = slots;
	r->lease_ms = lease_ms;
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

int64_t
recorder_when(const struct recorder *r, bool last)
{
	const size_t ended = slots_ended(r->slots);
	if (ended == 0 || r->count > 0)
		return CLOCK_NEVER;
	const int64_t when = last || ended >= FLUSH_COUNT ? 0 : slot_ended_ms(slots_first_ended(r->slots)) + FLUSH_MS;
	return when > r->away.until_ms ? when : r->away.until_ms;
}

/* In the thread. */
static enum result
complete(struct store *store, void *context)
{
	struct recorder *r = context;
	return store_complete(store, r->outcomes, r->count);
}

void
recorder_begin(struct recorder *r)
{
	r->count = slots_outcomes(r->slots, clock_monotonic_ms(), r->outcomes, r->singly > 0 ? 1 : BATCH);
	runner_start(r->runner, complete, r);
}

bool
recorder_is_busy(const struct recorder *r)
{
	return r->count > 0;
}

bool
recorder_is_done(const struct recorder *r)
{
	return r->count > 0 && runner_is_done(r->runner);
}

int
recorder_fd(const struct recorder *r)
{
	return runner_fd(r->runner);
}

static void
release(struct recorder *r, const struct delivery_outcome *outcome)
{
	r->released(r->context, outcome);
	slot_release(slots_first_ended(r->slots));
	r->singly -= r->singly > 0 ? 1 : 0;
}

static void
note_failure(const struct recorder *r, const struct delivery_outcome *outcome)
{
	/* one that is stale is somebody else's to tell of, unless it became so by being recorded before */
	if (outcome->state == DELIVERY_FAILED && (!outcome->stale || r->perhaps_done))
		log_warning("delivery_failed", LOG_BYTES("event", slot_event(slots_first_ended(r->slots))),
		    LOG_UINT("delivery", outcome->id), LOG_UINT("webhook", outcome->webhook_id),
		    LOG_UINT("attempts", outcome->attempt), LOG_INT("status", outcome->status),
		    LOG_BYTES("error", outcome->error));
}

static void
recorded(struct recorder *r, size_t count)
{
	size_t stale = 0;
	for (size_t i = 0; i < count; i++) {
		stale += r->outcomes[i].stale ? 1 : 0;
		note_failure(r, &r->outcomes[i]);
		release(r, &r->outcomes[i]);
	}
	if (stale > 0 && !r->perhaps_done)
		log_warning("claims_lost", LOG_UINT("deliveries", stale));
	r->perhaps_done = false;
	r->conflicts = 0;
	r->away = (struct back_off){ 0 };
}

/* Refused for good, or for so long that its claim is about to end: the delivery is made again then. */
static void
give_up(struct recorder *r, enum result result)
{
	log_error("outcome_lost", LOG_UINT("delivery", r->outcomes[0].id), LOG_STR("result", result_text(result)));
	release(r, &r->outcomes[0]);
	r->perhaps_done = false;
}

/* Others go first. */
static void
postpone(struct recorder *r, enum result result)
{
	if (r->outcomes[0].started_ms_ago > r->lease_ms - STUCK_MARGIN_MS) {
		give_up(r, result);
	} else {
		slot_postpone(slots_first_ended(r->slots));
		back_off(&r->away, "record", result);
	}
}

/* The statements were refused, or somebody stands in their way, and only one of the outcomes may be to blame. */
static void
refused(struct recorder *r, size_t count, enum result result)
{
	const bool for_good = result != RESULT_CONFLICT;
	if (count == 1 && for_good)
		give_up(r, result);
	else if (count == 1)
		postpone(r, result);
	else if (for_good || ++r->conflicts >= CONFLICTS)
		r->singly = count;
	else
		back_off(&r->away, "record", result);
}

void
recorder_settle(struct recorder *r)
{
	enum result result = RESULT_OK;
	const size_t count = r->count;
	if (!runner_take(r->runner, &result))
		return;
	r->count = 0;
	if (result == RESULT_OK) {
		recorded(r, count);
	} else if (result == RESULT_UNAVAILABLE || result == RESULT_UNKNOWN) {
		r->perhaps_done = r->perhaps_done || result == RESULT_UNKNOWN;
		back_off(&r->away, "record", result);
	} else {
		refused(r, count, result);
	}
}
