/* SPDX-License-Identifier: MIT */
#include "deliver/steps.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "deliver/crashes.h"
#include "deliver/request.h"
#include "deliver/verdict.h"

enum {
	CLAIM_MS = 5,           /* few free slots wait that long for more, so that a claim is worth its commit */
	CLAIM_MARGIN_MS = 5000, /* before the oldest claim under way ends nothing more is claimed: it could be that one, anew */
	STANDBY_MS = 2 * 1000,  /* how often whoever lacks shards asks for them */
	LOOK_MS = 10,           /* between two looks for due work while there is some */
	LOOK_SHARE = 4,         /* looks then take at most one part in 1 + that of the time; … */
	WAITING_LOOK_SHARE = 9, /* … or of that, while others wait for their turn */
	LOOK_REST_MAX_MS = 1000, /* but nobody waits longer for them */
	SLOW_LOOK_MS = 20,       /* looks at all that is due which take longer, SLOW_LOOKS in a row, … */
	SLOW_LOOKS = 2,          /* … are made less often, and in between only the newest are looked at: */
	SLOW_LOOK_SHARE = 20,    /* they take at most one part in 1 + that of the time, … */
	ENDLESS_LOOK_MS = 1000,  /* that fails after as long as that counts as slow, too */
	SLOW_LOOK_MAX_MS = 30000 /* … but are made as often as that */
};

/* Of `held`: whoever has the first shard looks after the days of the history, too. */
#define DAYS_SHARD UINT64_C(1)

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
	verdict_pass(d->scheduler, slot, result, clock_monotonic_ms(), d->database_ahead_ms);
}

void
steps_attempt_done(void *context, void *cookie, const struct attempt_result *result)
{
	log_work(LOG_UINT("delivery", slot_delivery_id(cookie)));
	attempt_ended(context, cookie, result);
	log_work_done();
}

/* ---- step: free what a dead dispatcher with the same lock file held ---- */

static int64_t
when_recover(const struct dispatcher *d)
{
	return d->ending || d->taken_over ? CLOCK_NEVER : 0;
}

static enum result
recover(struct dispatcher *d)
{
	unsigned char dead[LOCK_OWNER_SIZE];
	enum result result = RESULT_OK;
	const bool left = d->lock != NULL && lock_previous_owner(d->lock, dead);
	if (left)
		result = store_owner_release(d->store, dead, d->options.lease_ms);
	if (result == RESULT_OK && d->options.crashes != NULL)
		result = crashes_settle(d->options.crashes, d->store);
	if (result != RESULT_OK)
		return result;
	if (left)
		log_info("recovered", LOG_STR("from", "a dispatcher that was killed, or ended without the database"));
	/* Only now: until its claims are free the dead one's id is still needed. */
	if (d->lock != NULL)
		lock_set_owner(d->lock, d->owner);
	d->taken_over = true;
	return RESULT_OK;
}

/* ---- steps: what other threads do ---- */

static bool
nothing_more_ends(const struct dispatcher *d)
{
	return d->ending && slots_sending(d->slots) == 0;
}

static int64_t
when_record(const struct dispatcher *d)
{
	return recorder_when(d->recorder, nothing_more_ends(d));
}

static enum result
record(struct dispatcher *d)
{
	recorder_begin(d->recorder);
	return RESULT_OK;
}

static int64_t
when_recorded(const struct dispatcher *d)
{
	return recorder_is_done(d->recorder) ? 0 : CLOCK_NEVER;
}

static enum result
recorded(struct dispatcher *d)
{
	recorder_settle(d->recorder);
	return RESULT_OK;
}

void
steps_slot_released(void *context, const struct delivery_outcome *outcome)
{
	struct dispatcher *d = context;
	if (outcome->webhook_state != WEBHOOK_ACTIVE && !outcome->stale)
		maintenance_close_webhook(d->maintenance, outcome->webhook_id, outcome->webhook_state);
	scheduler_ended(d->scheduler, outcome->webhook_id, database_ms(d));
}

static int64_t
when_begin_task(const struct dispatcher *d)
{
	return d->ending ? CLOCK_NEVER : maintenance_when(d->maintenance);
}

static enum result
begin_task(struct dispatcher *d)
{
	maintenance_begin(d->maintenance, (d->held & DAYS_SHARD) != 0);
	return RESULT_OK;
}

static int64_t
when_task_done(const struct dispatcher *d)
{
	return maintenance_are_done(d->maintenance) ? 0 : CLOCK_NEVER;
}

static enum result
task_done(struct dispatcher *d)
{
	if (maintenance_settle(d->maintenance))
		d->progress = true;
	return RESULT_OK;
}

/* ---- step: lease shards ---- */

static int64_t
when_lease(const struct dispatcher *d)
{
	return d->ending ? CLOCK_NEVER : d->next_lease_ms;
}

static enum result
lease(struct dispatcher *d)
{
	int64_t now = clock_monotonic_ms();
	uint64_t held = 0;
	d->leased = true; /* perhaps also when the answer gets lost */
	enum result result = store_shards_lease(d->store, d->owner, d->options.lease_ms, &held);
	if (result != RESULT_OK)
		return result;
	const uint64_t lost = d->held & ~held;
	d->held = held;
	d->next_lease_ms = now + d->options.lease_ms / 3; /* leaves time to try again before it ends */
	if (held != UINT64_MAX && d->next_lease_ms > now + STANDBY_MS)
		d->next_lease_ms = now + STANDBY_MS;
	if (lost == 0)
		return RESULT_OK;
	log_warning("shards_lost", LOG_INT("shards", __builtin_popcountll(lost)));
	scheduler_retain(d->scheduler, held, database_ms(d));
	return RESULT_OK;
}

/* ---- step: look for webhooks with something due ---- */

static int64_t
when_look(const struct dispatcher *d)
{
	if (d->ending || slots_unused(d->slots) == 0)
		return CLOCK_NEVER;
	/* While others wait for their turn, newcomers are looked for at the idle pace. */
	return scheduler_waiting(d->scheduler) || !d->progress ? d->next_look_ms : d->looked_ms;
}

/* Behind a look, so that looks take no more than one part in 1 + share of the time. */
static int64_t
rest_ms(int64_t look_ms, int64_t share, int64_t max_ms)
{
	return share * look_ms < max_ms ? share * look_ms : max_ms;
}

/* When it is time for the next look at all that is due, after one that took so long. */
static int64_t
when_to_look_at_all(struct dispatcher *d, int64_t now, int64_t took_ms)
{
	d->slow_looks = took_ms > SLOW_LOOK_MS ? d->slow_looks + 1 : 0;
	return d->slow_looks < SLOW_LOOKS ? now : now + rest_ms(took_ms, SLOW_LOOK_SHARE, SLOW_LOOK_MAX_MS);
}

/* When it is time for the next look, which may take as long as the last one of its kind. */
static void
pace_looks(struct dispatcher *d, int64_t now, int64_t next_due_ms)
{
	const int64_t look_ms = now >= d->all_looked_ms ? d->all_took_ms : d->newest_took_ms;
	const int64_t soonest_ms = now + rest_ms(look_ms, LOOK_SHARE, LOOK_REST_MAX_MS);
	const int64_t waiting_ms = scheduler_waiting(d->scheduler) ? rest_ms(look_ms, WAITING_LOOK_SHARE, LOOK_REST_MAX_MS) : 0;
	d->looked_ms = soonest_ms + LOOK_MS;
	d->next_look_ms = now + (d->options.poll_ms > waiting_ms ? d->options.poll_ms : waiting_ms);
	if (next_due_ms >= 0 && next_due_ms - d->database_ahead_ms < d->next_look_ms)
		d->next_look_ms = next_due_ms - d->database_ahead_ms + 1;
	if (d->next_look_ms < soonest_ms)
		d->next_look_ms = soonest_ms;
}

static enum result
look(struct dispatcher *d)
{
	struct due_webhooks found;
	int64_t before = clock_monotonic_ms();
	const bool all = before >= d->all_looked_ms;
	const struct due_query question = { .held = d->held, .limit = STEPS_WEBHOOKS_MAX, .newest = !all };
	enum result result = store_due_webhooks(d->store, d->pool, &question, &found);
	int64_t now = clock_monotonic_ms(), took_ms = now - before;
	*(all ? &d->all_took_ms : &d->newest_took_ms) = took_ms;
	if (result != RESULT_OK) {
		/* one that takes too long to be answered at all would be tried for ever, and keep us from all else */
		if (all && took_ms > ENDLESS_LOOK_MS)
			d->all_looked_ms = now + SLOW_LOOK_MAX_MS;
		return result;
	}
	if (all)
		d->all_looked_ms = when_to_look_at_all(d, now, took_ms);
	d->looked_at_all = all;
	d->database_ahead_ms = found.now_ms - now;
	for (size_t i = 0; i < found.due_count; i++)
		scheduler_offer(d->scheduler, &found.due[i], found.now_ms);
	if (all)
		maintenance_end_webhooks(d->maintenance, found.ended, found.ended_count);
	pace_looks(d, now, found.next_due_ms);
	maintenance_bulk_work(d->maintenance, found.bulk_work);
	d->looked = true;
	d->progress = false;
	return RESULT_OK;
}

/* ---- step: claim and send ---- */

static int64_t
when_claim(const struct dispatcher *d)
{
	const size_t unused = slots_unused(d->slots);
	const int64_t oldest_ms = slots_oldest_ms(d->slots);
	if (d->ending || unused == 0 || d->untried_count > 0)
		return CLOCK_NEVER;
	if (oldest_ms != CLOCK_NEVER && clock_monotonic_ms() >= oldest_ms + d->options.lease_ms - CLAIM_MARGIN_MS)
		return CLOCK_NEVER;
	int64_t when = scheduler_next_ms(d->scheduler, unused, database_ms(d));
	if (when == CLOCK_NEVER)
		return CLOCK_NEVER;
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
	struct slot *slot = slots_take(d->slots, delivery, d->claimed_ms, now);
	struct attempt attempt;
	log_work(LOG_UINT("delivery", delivery->id));
	slot_set_schedule(slot, schedule_of(d, slot_pool(slot), delivery->destination));
	scheduler_started(d->scheduler, delivery->destination->webhook_id, now + d->database_ahead_ms);
	if (request_make(slot_pool(slot), delivery, now + d->database_ahead_ms, &attempt)) {
		sender_start(d->sender, &attempt, slot);
	} else {
		log_error("delivery_broken", LOG_UINT("delivery", delivery->id),
		    LOG_UINT("webhook", delivery->destination->webhook_id));
		attempt_ended(d, slot, &(struct attempt_result){ .error = SENDER_UNREADABLE });
	}
	log_work_done();
}

/* Notes claims that are to be given back as they were. */
static void
note_untried(struct dispatcher *d, const struct due_delivery *delivery)
{
	struct slice token = { d->untried_token, sizeof(d->untried_token) };
	memcpy(d->untried_token, delivery->token.data, sizeof(d->untried_token));
	d->untried[d->untried_count++] = (struct delivery_outcome){ .id = delivery->id, .token = token };
}

/* The claim's answer took so long that an attempt could outlive it. */
static bool
too_late(const struct dispatcher *d)
{
	return clock_monotonic_ms() + d->options.sender.timeout_ms + CLAIM_MARGIN_MS > d->claimed_ms + d->options.lease_ms;
}

/* Sends it, unless the webhook was disabled or removed after the look. */
static void
send_or_not(struct dispatcher *d, const struct due_delivery *delivery)
{
	const enum webhook_state state = delivery->destination->state;
	if (state != WEBHOOK_DISABLED)
		d->progress = true; /* if it has ended, the next look finds it among those */
	if (state == WEBHOOK_ACTIVE && !too_late(d))
		send_delivery(d, delivery);
	else
		note_untried(d, delivery);
}

static enum result
claim(struct dispatcher *d)
{
	struct due_delivery *deliveries;
	size_t count = 0;
	size_t requests = scheduler_take(d->scheduler, slots_unused(d->slots), STEPS_BATCH, database_ms(d), d->requests);
	d->claimed_ms = clock_monotonic_ms();
	enum result result =
	    store_claim(d->store, d->pool, d->owner, d->options.lease_ms, d->requests, requests, &deliveries, &count);
	if (result == RESULT_OK && count > 0)
		log_debug("claimed", LOG_UINT("deliveries", count));
	for (size_t i = 0; i < count; i++)
		if (result == RESULT_OK)
			send_or_not(d, &deliveries[i]);
		else
			note_untried(d, &deliveries[i]);
	scheduler_settle(d->scheduler, database_ms(d));
	return result;
}

/* ---- step: give back what was claimed and not sent ---- */

static int64_t
when_give_back(const struct dispatcher *d)
{
	return d->untried_count > 0 ? 0 : CLOCK_NEVER;
}

static enum result
give_back(struct dispatcher *d)
{
	enum result result = store_unclaim(d->store, d->untried, d->untried_count);
	if (result != RESULT_UNAVAILABLE && result != RESULT_UNKNOWN)
		d->untried_count = 0; /* their claims end by themselves */
	d->progress = true;
	return result;
}

/* ---- step: give the shards back ---- */

bool
steps_no_slot_used(const struct dispatcher *d)
{
	return slots_used(d->slots) == 0;
}

static int64_t
when_release(const struct dispatcher *d)
{
	return d->ending && d->leased && d->untried_count == 0 && steps_no_slot_used(d) ? 0 : CLOCK_NEVER;
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

/* Slots are freed before anything is claimed, and what a claim did not need is given back before the next one. */
static const struct step steps[] = {
	{ when_recover, recover, "recover", STEP_ASKS },
	{ when_recorded, recorded, "recorded", STEP_TAKES },
	{ when_task_done, task_done, "task_done", STEP_TAKES },
	{ when_record, record, "record", STEP_BEGINS },
	{ when_lease, lease, "lease", STEP_ASKS },
	{ when_begin_task, begin_task, "begin_task", STEP_BEGINS },
	{ when_give_back, give_back, "give_back", STEP_ASKS },
	{ when_look, look, "look", STEP_ASKS },
	{ when_claim, claim, "claim", STEP_ASKS },
	{ when_release, release, "release", STEP_ASKS },
};

const struct step *
steps_all(size_t *count)
{
	*count = ARRAY_SIZE(steps);
	return steps;
}
