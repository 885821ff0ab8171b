/* SPDX-License-Identifier: MIT
 * One loop: the steps of a table, each with the time at which it is due, then a wait that ends with the first of those times.
 * Only steps touch the database. While it is away none is due before the next try, and results wait in their slots. */
#include "deliver/dispatcher.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/random.h"
#include "deliver/bulk.h"
#include "deliver/request.h"
#include "deliver/slots.h"
#include "deliver/turns.h"
#include "deliver/verdict.h"
#include "store/dispatch.h"

enum {
	WEBHOOKS_MAX = 8192,  /* known at a time: with something due, or under way */
	TURN = 8,             /* deliveries in a turn: a claim asks the database once for each webhook */
	BATCH = 256,          /* deliveries in one call of the store, at most */
	FLUSH_COUNT = 64,     /* outcomes are recorded after that many … */
	FLUSH_MS = 5,         /* … or that long (delivery.md 3, guarantee) */
	CLAIM_MS = 5,         /* few free slots wait that long for more, so that a claim is worth its commit */
	LOOK_MS = 10,         /* between two looks for due work while there is some */
	LOOK_SHARE = 4,       /* looks then take at most one part in 1 + that of the time */
	SLOW_LOOK_MS = 20,    /* a look at all that is due which takes longer is made less often … */
	SLOW_LOOK_SHARE = 20, /* … and in between only what is newly due is looked for … */
	NEW_MS = 2000,        /* … with that much of what was there before: sign-ups are committed after their time */
	FAIL_CHUNK = 500,     /* deliveries of such a webhook that are ended in one transaction */
	ENDED_MAX = 64,       /* webhooks whose deliveries are being ended; the next look finds the others again */
	HOUSEKEEPING_MS = 10 * 1000,
	BACK_OFF_MS = 100, /* first wait for the database, doubling to … */
	BACK_OFF_MAX_MS = 5 * 1000,
	GIVE_UP_MS = 5 * 1000 /* how long the end waits for a database that is away */
};

#define NEVER INT64_MAX

struct dispatcher {
	struct dispatcher_options options;
	struct store *store;
	struct lock *lock;
	struct sender *sender;
	struct turns *turns;
	struct pool *pool; /* of one step */
	unsigned char owner[DISPATCH_OWNER_SIZE];

	struct slots *slots;
	struct delivery_outcome outcomes[BATCH];
	struct due_request requests[BATCH];
	uint64_t ended[ENDED_MAX]; /* webhooks that were removed or are gone: their deliveries are to be ended */
	size_t ended_count;

	/* Times are those of clock_monotonic_ms. */
	int64_t next_lease_ms, looked_ms, next_look_ms, claimed_ms, next_housekeeping_ms;
	int64_t all_looked_ms;     /* what is newly due is enough until then */
	int64_t looked_at_ms;      /* the database's time of the last look */
	int64_t retry_ms;          /* the database is left alone until then */
	int64_t end_ms;            /* takes nothing new from then on … */
	int64_t give_up_ms;        /* … and waits that long for the database */
	int64_t database_ahead_ms; /* the database's time, less clock_monotonic_ms */
	unsigned failures;         /* of the database, in a row */
	uint64_t held;             /* shards */
	bool taken_over, leased, looked;
	bool looked_at_all;   /* the last time */
	bool progress;        /* since the last look something was claimed or ended: another look is worth it */
	bool bulk_work;       /* is queued, as far as we know */
	bool ending, stopped; /* stopped: it was told to */
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

static void
on_done(void *context, void *cookie, const struct attempt_result *result)
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
	if (ended == 0)
		return NEVER;
	bool last = d->ending && slots_sending(d->slots) == 0;
	return last || ended >= FLUSH_COUNT ? 0 : slot_ended_ms(slots_first_ended(d->slots)) + FLUSH_MS;
}

static void
recorded(struct dispatcher *d, const struct slot *slot, const struct delivery_outcome *outcome)
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
			recorded(d, slot, &outcome);
		release_slot(d, slot, &outcome);
	}
	return RESULT_OK;
}

static enum result
record(struct dispatcher *d)
{
	size_t stale = 0, count = slots_outcomes(d->slots, clock_monotonic_ms(), d->outcomes, BATCH);
	enum result result = store_complete(d->store, d->outcomes, count, &stale);
	if (result == RESULT_FAILED || result == RESULT_INVALID)
		return record_one_by_one(d);
	if (result != RESULT_OK)
		return result;
	if (stale > 0)
		log_warning("claims_lost", LOG_UINT("deliveries", stale));
	for (size_t i = 0; i < count; i++) {
		struct slot *slot = slots_first_ended(d->slots);
		recorded(d, slot, &d->outcomes[i]);
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
	return store_housekeeping(d->store);
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
	enum result result =
	    store_due_webhooks(d->store, d->pool, d->held, all ? 0 : d->looked_at_ms - NEW_MS, WEBHOOKS_MAX, &found);
	if (result != RESULT_OK)
		return result;
	int64_t now = clock_monotonic_ms();
	if (all)
		d->all_looked_ms = now - before > SLOW_LOOK_MS ? now + SLOW_LOOK_SHARE * (now - before) : now;
	d->looked_at_all = all;
	d->looked_at_ms = found.now_ms;
	d->database_ahead_ms = found.now_ms - now;
	for (size_t i = 0; i < found.due_count; i++)
		turns_offer(d->turns, &found.due[i], found.now_ms);
	if (all)
		d->ended_count = found.ended_count < ENDED_MAX ? found.ended_count : ENDED_MAX;
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
		d->outcomes[back++] = (struct delivery_outcome){
			.id = delivery->id,
			.webhook_id = delivery->destination->webhook_id,
			.token = delivery->token,
			.attempt = delivery->attempt,
		};
	}
	return back == 0 ? RESULT_OK : store_unclaim(d->store, d->outcomes, back);
}

static enum result
claim(struct dispatcher *d)
{
	struct due_delivery *deliveries;
	size_t count = 0;
	size_t unused = slots_unused(d->slots);
	size_t requests = turns_take(d->turns, unused < BATCH ? unused : BATCH, database_ms(d), d->requests);
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

static bool
no_slot_used(const struct dispatcher *d)
{
	return slots_sending(d->slots) == 0 && slots_ended(d->slots) == 0;
}

static int64_t
when_release(const struct dispatcher *d)
{
	return d->ending && d->leased && no_slot_used(d) ? 0 : NEVER;
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

/* ---- the loop ---- */

/* In this order: what is ours is recorded before anything is claimed, so that no row of ours can look due. */
static const struct step {
	int64_t (*when)(const struct dispatcher *);
	enum result (*run)(struct dispatcher *);
	const char *name;
} steps[] = {
	{ when_take_over, take_over, "take_over" },
	{ when_record, record, "record" },
	{ when_lease, lease, "lease" },
	{ when_end_pending, end_pending, "end_pending" },
	{ when_keep_house, keep_house, "housekeeping" },
	{ when_look, look, "look" },
	{ when_claim, claim, "claim" },
	{ when_bulk, bulk, "bulk" },
	{ when_release, release, "release" },
};

/* Doubling, with jitter: several dispatchers must not come back at the same moment. */
static void
back_off(struct dispatcher *d, const char *step, enum result result)
{
	unsigned doublings = d->failures < 10 ? d->failures : 10;
	int64_t wait = (int64_t)BACK_OFF_MS << doublings;
	if (wait > BACK_OFF_MAX_MS)
		wait = BACK_OFF_MAX_MS;
	wait = wait / 2 + (int64_t)random_below((uint64_t)wait / 2 + 1);
	d->retry_ms = clock_monotonic_ms() + wait;
	d->failures++;
	log_warning("database", LOG_STR("step", step), LOG_STR("result", result_text(result)), LOG_INT("retry_in_ms", wait));
}

static void
run_steps(struct dispatcher *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int64_t now = clock_monotonic_ms();
		if (now < d->retry_ms || now < steps[i].when(d))
			continue;
		enum result result = steps[i].run(d);
		pool_reset(d->pool);
		if (result != RESULT_OK) {
			back_off(d, steps[i].name, result);
			return;
		}
		d->failures = 0;
	}
}

/* How long to wait for the next step; at most until the time to ask whether it is time to end. */
static int64_t
wait_ms(const struct dispatcher *d)
{
	int64_t now = clock_monotonic_ms(), first = now + d->options.poll_ms;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int64_t when = steps[i].when(d);
		when = when > d->retry_ms ? when : d->retry_ms;
		first = when < first ? when : first;
	}
	return first > now ? first - now : 0;
}

static bool
nothing_due(const struct dispatcher *d)
{
	return d->looked_at_all && !d->progress && !d->bulk_work && d->ended_count == 0 && no_slot_used(d) &&
	       !turns_waiting(d->turns);
}

static void
end_if(struct dispatcher *d, bool reason)
{
	if (!reason || d->ending)
		return;
	d->ending = true;
	d->give_up_ms = clock_monotonic_ms() + GIVE_UP_MS;
}

/* True when nothing is left to do, or the database has been waited for long enough. */
static bool
over(const struct dispatcher *d)
{
	if (!d->ending || slots_sending(d->slots) > 0)
		return false;
	return (slots_ended(d->slots) == 0 && !d->leased) || clock_monotonic_ms() >= d->give_up_ms;
}

enum result
dispatcher_run(struct dispatcher *d)
{
	if (d->options.max_runtime_ms > 0)
		d->end_ms = clock_monotonic_ms() + d->options.max_runtime_ms;
	for (;;) {
		end_if(d, clock_monotonic_ms() >= d->end_ms);
		run_steps(d);
		end_if(d, !d->options.stay && nothing_due(d));
		if (over(d))
			break;
		/* Once it has fired, the descriptor stays readable. */
		d->stopped = sender_wait(d->sender, wait_ms(d), d->ending ? -1 : d->options.stop_fd) || d->stopped;
		end_if(d, d->stopped);
	}
	if (slots_ended(d->slots) > 0) {
		log_error("outcomes_given_up", LOG_UINT("deliveries", slots_ended(d->slots)));
		return RESULT_UNAVAILABLE;
	}
	/* whoever is told to end has done what it was told: leases end by themselves (delivery.md 6) */
	return d->stopped || (d->looked && !d->leased) ? RESULT_OK : RESULT_UNAVAILABLE;
}

/* More at first than at most is no contradiction worth an error: who lowers the maximum need not know of the other. */
static struct dispatcher_options
consistent(const struct dispatcher_options *options)
{
	struct dispatcher_options own = *options;
	if (own.health.window_start > own.health.window_max)
		own.health.window_start = own.health.window_max;
	return own;
}

static bool
options_hold(const struct dispatcher_options *options)
{
	bool hold = options->lease_ms >= options->sender.timeout_ms + DISPATCHER_LEASE_MARGIN_MS;
	if (!hold)
		log_error("lease_too_short", LOG_INT("lease_ms", options->lease_ms),
		    LOG_INT("attempt_timeout_ms", options->sender.timeout_ms));
	return hold;
}

struct dispatcher *
dispatcher_new(const struct dispatcher_options *options, struct store *store, struct lock *lock)
{
	if (!options_hold(options))
		return NULL;
	struct dispatcher *d = memory_alloc(sizeof(*d));
	d->options = consistent(options);
	d->store = store;
	d->lock = lock;
	d->end_ms = NEVER;
	d->progress = true;
	d->pool = pool_new();
	d->turns =
	    turns_new(&(struct turns_limits){ .webhooks = WEBHOOKS_MAX, .slots = options->sender.in_flight, .turn = TURN },
		&d->options.health);
	random_bytes(d->owner, sizeof(d->owner));
	d->slots = slots_new(options->sender.in_flight);
	d->sender = sender_new(&options->sender, on_done, d);
	if (d->sender == NULL)
		dispatcher_free(&d);
	return d;
}

void
dispatcher_free(struct dispatcher **dispatcher)
{
	struct dispatcher *d = *dispatcher;
	if (d == NULL)
		return;
	sender_free(&d->sender);
	turns_free(&d->turns);
	slots_free(&d->slots);
	pool_free(&d->pool);
	free(d);
	*dispatcher = NULL;
}
