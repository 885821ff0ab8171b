/* SPDX-License-Identifier: MIT */
#include "deliver/steps.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "deliver/bulk.h"
#include "deliver/request.h"
#include "deliver/verdict.h"

enum {
	FLUSH_COUNT = 64,     /* outcomes are recorded after that many … */
	FLUSH_MS = 5,         /* … or that long (delivery.md 3, guarantee) */
	CLAIM_MS = 5,         /* few free slots wait that long for more, so that a claim is worth its commit */
	LOOK_MS = 10,         /* between two looks for due work while there is some */
	LOOK_SHARE = 4,       /* looks then take at most one part in 1 + that of the time */
	SLOW_LOOK_MS = 20,    /* a look at all that is due which takes longer is made less often … */
	SLOW_LOOK_SHARE = 20, /* … and in between only at the newest */
	FAIL_CHUNK = 500,     /* deliveries of a webhook that is no more which are ended in one transaction */
	HOUSEKEEPING_MS = 10 * 1000,
	DAYS_SHARD = 1 /* of `held`: whoever has the first shard looks after the days of the history, too */
};

/* ---- the end of an attempt ---- */

/* The database's time. */
static int64_t
database_ms(const struct dispatcher *d)
{
	return clock_monotonic_ms() + d->database_ahead_ms;
}

static void
attempt_ended(struct dispatcher *d, struct slot *slot, const struct attempt_result *result)
{
	verdict_pass(d->turns, slot, result, clock_monotonic_ms(), d->database_ahead_ms);
}

void
steps_attempt_done(void *context, void *cookie, const struct attempt_result *result)
{
	attempt_ended(context, cookie, result);
}

/* ---- step: free what a dead dispatcher with the same lock file held ---- */

static int64_t
when_take_over(const struct dispatcher *d)
{
	return d->ending || d->taken_over ? NEVER : 0;
}

static enum result
take_over(struct dispatcher *d)
{
	unsigned char dead[LOCK_OWNER_SIZE];
	enum result result = RESULT_OK;
	if (d->lock != NULL && lock_previous_owner(d->lock, dead))
		result = store_owner_release(d->store, dead, d->options.lease_ms);
	if (result != RESULT_OK)
		return result;
	/* Only now: until its claims are free the dead one's id is still needed. */
	if (d->lock != NULL)
		lock_set_owner(d->lock, d->owner);
	d->taken_over = true;
	return RESULT_OK;
}

/* ---- step: record outcomes ---- */

static int64_t
when_record(const struct dispatcher *d)
{
	size_t ended = slots_ended(d->slots);
	if (ended == 0 || d->recording > 0)
		return NEVER;
	bool last = d->ending && slots_sending(d->slots) == 0;
	return last || ended >= FLUSH_COUNT ? 0 : slot_ended_ms(slots_first_ended(d->slots)) + FLUSH_MS;
}

static enum result
record(struct dispatcher *d)
{
	d->recording = slots_outcomes(d->slots, clock_monotonic_ms(), d->outcomes, STEPS_BATCH);
	recorder_start(d->recorder, d->outcomes, d->recording);
	return RESULT_OK;
}

/* ---- step: free the slots of what is recorded ---- */

static int64_t
when_recorded(const struct dispatcher *d)
{
	return d->recording > 0 && recorder_is_done(d->recorder) ? 0 : NEVER;
}

static void
note_recorded(struct dispatcher *d, const struct slot *slot, const struct delivery_outcome *outcome)
{
	if (outcome->webhook_gone)
		d->progress = true; /* the next look tells what it leaves behind */
	if (outcome->state == DELIVERY_FAILED)
		log_warning("delivery_failed", LOG_BYTES("event", slot_event(slot)), LOG_UINT("delivery", outcome->id),
		    LOG_UINT("webhook", outcome->webhook_id), LOG_UINT("attempts", outcome->attempt),
		    LOG_INT("status", outcome->status), LOG_BYTES("error", outcome->error));
}

static void
release_slot(struct dispatcher *d, struct slot *slot, const struct delivery_outcome *outcome)
{
	turns_ended(d->turns, outcome->webhook_id, database_ms(d));
	slot_release(slot);
}

/* Something in a batch was refused for good: only the culprit is given up. Its claim ends with its lease, so the delivery is
 * made again. */
static enum result
record_one_by_one(struct dispatcher *d)
{
	struct slot *slot;
	size_t stale;
	while ((slot = slots_first_ended(d->slots)) != NULL) {
		struct delivery_outcome outcome = slot_outcome(slot, clock_monotonic_ms());
		enum result result = store_complete(d->store, &outcome, 1, &stale);
		if (result == RESULT_FAILED || result == RESULT_INVALID)
			log_error("outcome_lost", LOG_UINT("delivery", outcome.id), LOG_STR("result", result_text(result)));
		else if (result != RESULT_OK)
			return result;
		else
			note_recorded(d, slot, &outcome);
		release_slot(d, slot, &outcome);
	}
	return RESULT_OK;
}

static enum result
recorded(struct dispatcher *d)
{
	enum result result = RESULT_OK;
	size_t stale = 0, count = d->recording;
	if (!recorder_take(d->recorder, &result, &stale))
		return RESULT_OK;
	d->recording = 0;
	if (result == RESULT_FAILED || result == RESULT_INVALID)
		return record_one_by_one(d);
	if (result != RESULT_OK)
		return result;
	if (stale > 0)
		log_warning("claims_lost", LOG_UINT("deliveries", stale));
	for (size_t i = 0; i < count; i++) {
		struct slot *slot = slots_first_ended(d->slots);
		note_recorded(d, slot, &d->outcomes[i]);
		release_slot(d, slot, &d->outcomes[i]);
	}
	return RESULT_OK;
}

/* ---- step: lease shards ---- */

static int64_t
when_lease(const struct dispatcher *d)
{
	return d->ending ? NEVER : d->next_lease_ms;
}

static enum result
lease(struct dispatcher *d)
{
	int64_t now = clock_monotonic_ms();
	d->leased = true; /* perhaps also when the answer gets lost */
	const uint64_t before = d->held;
	enum result result = store_shards_lease(d->store, d->owner, d->options.lease_ms, &d->held);
	if (result != RESULT_OK)
		return result;
	d->next_lease_ms = now + d->options.lease_ms / 3; /* leaves time to try again before it ends */
	if ((before & ~d->held) == 0)
		return RESULT_OK;
	log_warning("shards_lost", LOG_INT("shards", __builtin_popcountll(before & ~d->held)));
	turns_keep(d->turns, d->held, database_ms(d));
	return RESULT_OK;
}

/* ---- step: end the deliveries of webhooks that were removed or are gone ---- */

static int64_t
when_end_pending(const struct dispatcher *d)
{
	return d->ending || d->ended_count == 0 ? NEVER : 0;
}

static enum result
end_pending(struct dispatcher *d)
{
	size_t done = 0;
	enum result result = store_fail_pending(d->store, d->ended[0], FAIL_CHUNK, &done);
	if (result != RESULT_OK)
		return result;
	if (done == 0) {
		d->ended[0] = d->ended[--d->ended_count];
		return RESULT_OK;
	}
	log_debug("pending_ended", LOG_UINT("webhook", d->ended[0]), LOG_UINT("deliveries", done));
	d->progress = true;
	return RESULT_OK;
}

/* ---- step: housekeeping ---- */

static int64_t
when_keep_house(const struct dispatcher *d)
{
	return d->ending ? NEVER : d->next_housekeeping_ms;
}

static enum result
keep_house(struct dispatcher *d)
{
	d->next_housekeeping_ms = clock_monotonic_ms() + HOUSEKEEPING_MS;
	return store_housekeeping(d->store, (d->held & DAYS_SHARD) != 0);
}

/* ---- step: look for webhooks with something due ---- */

static int64_t
when_look(const struct dispatcher *d)
{
	if (d->ending || slots_unused(d->slots) == 0)
		return NEVER;
	/* While others wait for their turn, newcomers are looked for at the idle pace. */
	return turns_waiting(d->turns) || !d->progress ? d->next_look_ms : d->looked_ms;
}

static enum result
look(struct dispatcher *d)
{
	struct due_webhooks found;
	int64_t before = clock_monotonic_ms();
	const bool all = before >= d->all_looked_ms;
	const struct due_question question = { .held = d->held, .limit = STEPS_WEBHOOKS_MAX, .newest = !all };
	enum result result = store_due_webhooks(d->store, d->pool, &question, &found);
	if (result != RESULT_OK)
		return result;
	int64_t now = clock_monotonic_ms();
	if (all)
		d->all_looked_ms = now - before > SLOW_LOOK_MS ? now + SLOW_LOOK_SHARE * (now - before) : now;
	d->looked_at_all = all;
	d->database_ahead_ms = found.now_ms - now;
	for (size_t i = 0; i < found.due_count; i++)
		turns_offer(d->turns, &found.due[i], found.now_ms);
	if (all)
		d->ended_count = found.ended_count < STEPS_ENDED_MAX ? found.ended_count : STEPS_ENDED_MAX;
	for (size_t i = 0; all && i < d->ended_count; i++)
		d->ended[i] = found.ended[i];
	d->looked_ms = now + LOOK_MS + LOOK_SHARE * (now - before);
	d->next_look_ms = now + d->options.poll_ms;
	if (found.next_due_ms >= 0 && found.next_due_ms - d->database_ahead_ms < d->next_look_ms)
		d->next_look_ms = found.next_due_ms - d->database_ahead_ms + 1;
	d->bulk_work = found.bulk_work;
	d->looked = true;
	d->progress = false;
	return RESULT_OK;
}

/* ---- step: claim and send ---- */

static int64_t
when_claim(const struct dispatcher *d)
{
	const size_t unused = slots_unused(d->slots);
	if (d->ending || unused == 0)
		return NEVER;
	int64_t when = turns_next_ms(d->turns, unused, database_ms(d));
	if (when == TURNS_NEVER)
		return NEVER;
	when -= d->database_ahead_ms;
	const int64_t worth_it_ms = unused >= d->options.sender.in_flight / 4 ? 0 : d->claimed_ms + CLAIM_MS;
	return when > worth_it_ms ? when : worth_it_ms;
}

/* The webhook's own, or the setting's where it has none that can be read. */
static const struct retry_schedule *
schedule_of(const struct dispatcher *d, struct pool *pool, const struct destination *destination)
{
	struct retry_schedule *own;
	struct slice bad;
	if (!slice_present(destination->schedule))
		return d->options.schedule;
	own = pool_alloc(pool, sizeof(*own));
	if (retry_schedule_parse(destination->schedule, own, &bad))
		return own;
	log_error("bad_schedule", LOG_UINT("webhook", destination->webhook_id), LOG_BYTES("item", bad));
	return d->options.schedule;
}

static void
send_delivery(struct dispatcher *d, const struct due_delivery *delivery)
{
	int64_t now = clock_monotonic_ms();
	struct slot *slot = slots_take(d->slots, delivery, now);
	struct attempt attempt;
	slot_set_schedule(slot, schedule_of(d, slot_pool(slot), delivery->destination));
	turns_started(d->turns, delivery->destination->webhook_id, now + d->database_ahead_ms);
	if (request_make(slot_pool(slot), delivery, now + d->database_ahead_ms, &attempt)) {
		sender_start(d->sender, &attempt, slot);
	} else {
		log_error("delivery_broken", LOG_UINT("delivery", delivery->id),
		    LOG_UINT("webhook", delivery->destination->webhook_id));
		attempt_ended(d, slot, &(struct attempt_result){ .error = SENDER_INTERNAL });
	}
}

/* Webhooks that were disabled or removed after the look: their claims are given back as they were. */
static enum result
give_back(struct dispatcher *d, const struct due_delivery *deliveries, size_t count)
{
	size_t back = 0;
	for (size_t i = 0; i < count; i++) {
		const struct due_delivery *delivery = &deliveries[i];
		const enum webhook_state state = delivery->destination->state;
		if (state == WEBHOOK_ACTIVE)
			continue;
		if (state != WEBHOOK_DISABLED)
			d->progress = true; /* the next look finds it among those that have ended */
		d->untried[back++] = (struct delivery_outcome){
			.id = delivery->id,
			.webhook_id = delivery->destination->webhook_id,
			.token = delivery->token,
			.attempt = delivery->attempt,
		};
	}
	return back == 0 ? RESULT_OK : store_unclaim(d->store, d->untried, back);
}

static enum result
claim(struct dispatcher *d)
{
	struct due_delivery *deliveries;
	size_t count = 0;
	size_t unused = slots_unused(d->slots);
	size_t requests = turns_take(d->turns, unused < STEPS_BATCH ? unused : STEPS_BATCH, database_ms(d), d->requests);
	d->claimed_ms = clock_monotonic_ms();
	enum result result =
	    store_claim(d->store, d->pool, d->owner, d->options.lease_ms, d->requests, requests, &deliveries, &count);
	for (size_t i = 0; i < count; i++)
		if (deliveries[i].destination->state == WEBHOOK_ACTIVE) {
			send_delivery(d, &deliveries[i]);
			d->progress = true;
		}
	turns_settle(d->turns, database_ms(d));
	return result == RESULT_OK ? give_back(d, deliveries, count) : result;
}

/* ---- step: a chunk of bulk work ---- */

static int64_t
when_bulk(const struct dispatcher *d)
{
	return d->ending || !d->bulk_work ? NEVER : 0;
}

static enum result
bulk(struct dispatcher *d)
{
	enum result result = bulk_run_chunk(d->store, d->pool, &d->bulk_work);
	if (result == RESULT_OK)
		d->progress = true; /* webhooks may have to be told */
	return result;
}

/* ---- step: give the shards back ---- */

bool
steps_no_slot_used(const struct dispatcher *d)
{
	return slots_sending(d->slots) == 0 && slots_ended(d->slots) == 0;
}

static int64_t
when_release(const struct dispatcher *d)
{
	return d->ending && d->leased && steps_no_slot_used(d) ? 0 : NEVER;
}

static enum result
release(struct dispatcher *d)
{
	enum result result = store_shards_release(d->store, d->owner);
	if (result != RESULT_OK)
		return result;
	d->leased = false;
	if (d->lock != NULL)
		lock_clear_owner(d->lock);
	return RESULT_OK;
}

/* ---- all of them ---- */

/* Slots are freed before anything is claimed. */
static const struct step steps[] = {
	{ when_take_over, take_over, "take_over", false },
	{ when_recorded, recorded, "recorded", false },
	{ when_record, record, "record", true },
	{ when_lease, lease, "lease", false },
	{ when_end_pending, end_pending, "end_pending", false },
	{ when_keep_house, keep_house, "housekeeping", false },
	{ when_look, look, "look", false },
	{ when_claim, claim, "claim", false },
	{ when_bulk, bulk, "bulk", false },
	{ when_release, release, "release", false },
};

const struct step *
steps_all(size_t *count)
{
	*count = ARRAY_SIZE(steps);
	return steps;
}
