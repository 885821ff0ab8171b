/* SPDX-License-Identifier: MIT */
#include "deliver/steps.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/wake.h"
#include "deliver/crashes.h"
#include "deliver/judge.h"
#include "deliver/request.h"

enum {
	CLAIM_MS = 5, /* a few unused slots wait that long for more, to reduce commits */
	CLAIM_MARGIN_MS =
	    5000, /* no new claims in this time before the oldest claim expires: they could claim the same delivery again */
	STANDBY_MS = 2 * 1000,    /* interval of lease requests while shards are missing */
	BUSY_POLL_MS = 10,        /* interval of polls while there is due work */
	POLL_SHARE = 4,           /* polls then take at most 1 part in 1 + POLL_SHARE of the time, … */
	WAITING_POLL_SHARE = 9,   /* … or 1 + WAITING_POLL_SHARE while webhooks wait for a slot */
	POLL_PAUSE_MAX_MS = 1000, /* limit of the delay by these shares */
	SLOW_POLL_MS = 20,        /* after SLOW_POLLS consecutive full polls that take longer, … */
	SLOW_POLLS = 2,           /* … full polls are made less often, and others read only the newest rows: */
	SLOW_POLL_SHARE = 20,     /* they take at most 1 part in 1 + SLOW_POLL_SHARE of the time, … */
	FAILED_POLL_MS = 1000,    /* a full poll that fails after that time counts as slow, too */
	SLOW_POLL_MAX_MS = 30000  /* … with at most that interval */
};

/* Of `leased_shards`: the dispatcher with the first shard also maintains the daily partitions. */
#define DAYS_SHARD UINT64_C(1)

/* ---- end of an attempt ---- */

/* The database's time. */
static int64_t
database_ms(const struct dispatcher *d)
{
	return clock_monotonic_ms() + d->database_ahead_ms;
}

static void
attempt_ended(struct dispatcher *d, struct slot *slot, const struct attempt_result *result)
{
	judge_attempt(d->scheduler, slot, result, clock_monotonic_ms(), d->database_ahead_ms);
}

void
steps_attempt_done(void *context, void *cookie, const struct attempt_result *result)
{
	log_work(LOG_UINT("delivery", slot_delivery(cookie)->id));
	attempt_ended(context, cookie, result);
	log_work_done();
}

/* ---- step: free what a dead dispatcher with the same lock file held ---- */

static int64_t
when_recover(const struct dispatcher *d)
{
	return d->ending || d->recovered_previous ? CLOCK_NEVER : 0;
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
		result = crashes_isolate(d->options.crashes, d->store);
	if (result != RESULT_OK)
		return result;
	if (left)
		log_info("recovered", LOG_STR("from", "a dispatcher that was killed, or ended without the database"));
	/* The previous id is needed until its claims are free. */
	if (d->lock != NULL)
		lock_set_owner(d->lock, d->owner);
	d->recovered_previous = true;
	return RESULT_OK;
}

/* ---- steps: recorder and maintenance ---- */

static int64_t
when_record(const struct dispatcher *d)
{
	return recorder_when(d->recorder, d->ending && slots_in(d->slots, SLOT_SENDING) == 0);
}

static enum result
record(struct dispatcher *d)
{
	recorder_begin(d->recorder);
	return RESULT_OK;
}

void
steps_slot_released(void *context, const struct delivery_outcome *outcome)
{
	struct dispatcher *d = context;
	if (outcome->webhook_state != WEBHOOK_ACTIVE && !outcome->stale)
		maintenance_deactivate_webhook(d->maintenance, outcome->webhook_id, outcome->webhook_state);
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
	maintenance_begin(d->maintenance, (d->leased_shards & DAYS_SHARD) != 0);
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
	d->leased = true; /* also when the response is lost */
	enum result result = store_shards_lease(d->store, d->owner, d->options.lease_ms, &held);
	if (result != RESULT_OK)
		return result;
	const uint64_t lost = d->leased_shards & ~held;
	d->leased_shards = held;
	d->next_lease_ms = now + d->options.lease_ms / 3; /* leaves time for retries before the lease ends */
	if (held != UINT64_MAX && d->next_lease_ms > now + STANDBY_MS)
		d->next_lease_ms = now + STANDBY_MS;
	if (lost == 0)
		return RESULT_OK;
	log_warning("shards_lost", LOG_INT("shards", __builtin_popcountll(lost)));
	scheduler_retain(d->scheduler, held, database_ms(d));
	return RESULT_OK;
}

/* ---- step: poll for webhooks with due deliveries ---- */

static int64_t
when_poll(const struct dispatcher *d)
{
	if (d->ending || slots_in(d->slots, SLOT_UNUSED) == 0)
		return CLOCK_NEVER;
	/* while webhooks wait for a slot, the poll for others uses the idle interval */
	return scheduler_waiting(d->scheduler) || !d->progress ? d->next_poll_ms : d->busy_poll_ms;
}

int
steps_wake_fd(const struct dispatcher *d)
{
	const int64_t when = when_poll(d);
	return when != CLOCK_NEVER && when > d->woken_poll_ms ? d->options.wake_fd : -1;
}

void
steps_woken(struct dispatcher *d)
{
	d->next_poll_ms = d->woken_poll_ms;
}

/* The pause after a poll, so that polls take at most 1 part in 1 + share of the time. */
static int64_t
pause_ms(int64_t poll_ms, int64_t share, int64_t max_ms)
{
	return share * poll_ms < max_ms ? share * poll_ms : max_ms;
}

/* The time of the next full poll, after one that took `took_ms`. */
static int64_t
next_full_poll(struct dispatcher *d, int64_t now, int64_t took_ms)
{
	d->slow_polls = took_ms > SLOW_POLL_MS ? d->slow_polls + 1 : 0;
	return d->slow_polls < SLOW_POLLS ? now : now + pause_ms(took_ms, SLOW_POLL_SHARE, SLOW_POLL_MAX_MS);
}

/* Sets the time of the next poll, which is assumed to take as long as the last one of its kind. */
static void
schedule_next_poll(struct dispatcher *d, int64_t now, int64_t next_due_ms)
{
	const int64_t poll_ms = now >= d->next_full_poll_ms ? d->full_poll_took_ms : d->newest_poll_took_ms;
	const int64_t soonest_ms = now + pause_ms(poll_ms, POLL_SHARE, POLL_PAUSE_MAX_MS);
	const int64_t waiting_ms =
	    scheduler_waiting(d->scheduler) ? pause_ms(poll_ms, WAITING_POLL_SHARE, POLL_PAUSE_MAX_MS) : 0;
	d->busy_poll_ms = soonest_ms + BUSY_POLL_MS;
	d->woken_poll_ms = (now + waiting_ms > soonest_ms ? now + waiting_ms : soonest_ms) + BUSY_POLL_MS;
	d->next_poll_ms = now + (d->options.poll_ms > waiting_ms ? d->options.poll_ms : waiting_ms);
	if (next_due_ms >= 0 && next_due_ms - d->database_ahead_ms < d->next_poll_ms)
		d->next_poll_ms = next_due_ms - d->database_ahead_ms + 1;
	if (d->next_poll_ms < soonest_ms)
		d->next_poll_ms = soonest_ms;
}

static enum result
poll_due(struct dispatcher *d)
{
	struct due_webhooks found;
	wake_drain(d->options.wake_fd); /* before the statement, which finds what these wakes are about */
	int64_t before = clock_monotonic_ms();
	const bool all = before >= d->next_full_poll_ms;
	const struct due_query query = { .shards = d->leased_shards, .limit = STEPS_WEBHOOKS_MAX, .newest = !all };
	enum result result = store_due_webhooks(d->store, d->pool, &query, &found);
	int64_t now = clock_monotonic_ms(), took_ms = now - before;
	*(all ? &d->full_poll_took_ms : &d->newest_poll_took_ms) = took_ms;
	if (result != RESULT_OK) {
		/* otherwise a query that always times out would be retried forever and block all other work */
		if (all && took_ms > FAILED_POLL_MS)
			d->next_full_poll_ms = now + SLOW_POLL_MAX_MS;
		return result;
	}
	if (all)
		d->next_full_poll_ms = next_full_poll(d, now, took_ms);
	d->last_poll_was_full = all;
	d->database_ahead_ms = found.now_ms - now;
	for (size_t i = 0; i < found.due_count; i++)
		scheduler_offer(d->scheduler, &found.due[i], found.now_ms);
	if (all)
		maintenance_set_ended_webhooks(d->maintenance, found.ended, found.ended_count);
	schedule_next_poll(d, now, found.next_due_ms);
	maintenance_bulk_work(d->maintenance, found.bulk_work);
	d->polled = true;
	d->progress = false;
	return RESULT_OK;
}

/* ---- step: claim and send ---- */

static int64_t
when_claim(const struct dispatcher *d)
{
	const size_t unused = slots_in(d->slots, SLOT_UNUSED);
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

/* The webhook's own schedule, or the configured one if there is none or it is invalid. */
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

/* Adds a claim that is returned unchanged. */
static void
note_untried(struct dispatcher *d, const struct due_delivery *delivery)
{
	struct slice token = { d->untried_token, sizeof(d->untried_token) };
	memcpy(d->untried_token, delivery->token.data, sizeof(d->untried_token));
	d->untried[d->untried_count++] = (struct delivery_outcome){ .id = delivery->id, .token = token };
}

/* The claim took so long that an attempt could outlive it. */
static bool
too_late(const struct dispatcher *d)
{
	return clock_monotonic_ms() + d->options.sender.timeout_ms + CLAIM_MARGIN_MS > d->claimed_ms + d->options.lease_ms;
}

/* Sends it, unless the webhook is no longer active or the claim took so long that an attempt could outlive it. */
static void
send_if_active(struct dispatcher *d, const struct due_delivery *delivery)
{
	const enum webhook_state state = delivery->destination->state;
	if (state != WEBHOOK_DISABLED)
		d->progress = true; /* if the webhook is deactivated, the next poll reports it as such */
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
	size_t requests =
	    scheduler_take(d->scheduler, slots_in(d->slots, SLOT_UNUSED), STEPS_BATCH, database_ms(d), d->requests);
	d->claimed_ms = clock_monotonic_ms();
	enum result result =
	    store_claim(d->store, d->pool, d->owner, d->options.lease_ms, d->requests, requests, &deliveries, &count);
	if (result == RESULT_OK && count > 0)
		log_debug("claimed", LOG_UINT("deliveries", count));
	for (size_t i = 0; i < count; i++)
		if (result == RESULT_OK)
			send_if_active(d, &deliveries[i]);
		else
			note_untried(d, &deliveries[i]);
	scheduler_taken(d->scheduler, database_ms(d));
	return result;
}

/* ---- step: return claims that were not sent ---- */

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
		d->untried_count = 0; /* their claims expire on their own */
	d->progress = true;
	return result;
}

/* ---- step: release the shards ---- */

static int64_t
when_release(const struct dispatcher *d)
{
	return d->ending && d->leased && d->untried_count == 0 && slots_used(d->slots) == 0 ? 0 : CLOCK_NEVER;
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

/* ---- table of steps ---- */

/* Unused claims are returned before the next claim. */
static const struct dispatcher_step steps[] = {
	{ when_recover, recover, "recover", true },
	{ when_record, record, "record", false },
	{ when_lease, lease, "lease", true },
	{ when_begin_task, begin_task, "begin_task", false },
	{ when_give_back, give_back, "give_back", true },
	{ when_poll, poll_due, "poll", true },
	{ when_claim, claim, "claim", true },
	{ when_release, release, "release", true },
};

const struct dispatcher_step *
steps_all(size_t *count)
{
	*count = ARRAY_SIZE(steps);
	return steps;
}
