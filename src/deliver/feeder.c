/* SPDX-License-Identifier: MIT */
#include "deliver/feeder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/panic.h"
#include "base/pool.h"
#include "deliver/crashes.h"
#include "deliver/job_worker.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
#include "os/wake.h"
#include "store/heartbeats.h"

enum {
	STANDBY_MS = 2 * 1000,     /* interval of lease requests while shards are missing */
	SEND_MARGIN_MS = 5 * 1000, /* minimum time between the end of an attempt and the end of the lease */
	WAIT_MAX_MS = 200,         /* how long a fetched delivery may wait to be sent */
	BUSY_POLL_MS = 10,         /* interval of polls while there is due work, … */
	WOKEN_POLL_MS = 1,         /* … and after wakes */
	POLL_SHARE = 4,            /* polls then take at most 1 part in 1 + POLL_SHARE of the time, … */
	WAITING_POLL_SHARE = 9,    /* … or 1 + WAITING_POLL_SHARE while webhooks wait for a slot */
	POLL_PAUSE_MAX_MS = 1000,  /* limit of the delay that these shares cause */
	POLLS_OF_AVERAGE = 4,      /* how many polls change the average duration of a poll */
	SLOW_POLL_MS = 20,         /* after SLOW_POLLS consecutive full polls that take longer, … */
	SLOW_POLLS = 2,            /* … full polls are made less often, and the polls in between read only the newest rows: */
	SLOW_POLL_SHARE = 20,      /* they take at most 1 part in 1 + SLOW_POLL_SHARE of the time, … */
	SLOW_POLL_MAX_MS = 30000,  /* … with at most that interval */
	NEWEST_RETRY_MS = 30000,   /* pause of polls of the newest rows after one that took longer than a full poll */
	FAILED_POLL_MS = 1000,     /* a full poll that fails after this time also counts as slow */
	INTERRUPTED_MS = 1000,     /* mean delay after a second interrupted attempt; doubles with each further one, … */
	INTERRUPTED_DOUBLINGS = 10 /* … up to this number of attempts */
};
/* Microseconds in a millisecond: a poll often takes less than that. */
#define MS_US INT64_C(1000)

struct feeder {
	struct feeder_parts with;
	struct tasks *tasks;
	struct heartbeat heartbeat; /* used only by the thread */
	int64_t next_beat_ms;
	bool may_beat;
	/* Times are in clock_monotonic_ms. */
	int64_t next_lease_ms;
	int64_t lease_end_ms;                                  /* in clock_boot_ms; 0: before the first lease, or doubted */
	int64_t busy_poll_ms, next_poll_ms, next_full_poll_ms; /* until the latter, polls read only the newest rows */
	int64_t woken_poll_ms, waiting_poll_ms;                /* see when_woken */
	int64_t full_poll_us, newest_poll_us;                  /* average durations; 0: there was none */
	int64_t next_newest_poll_ms;                           /* until then, only full polls, even if they are slow */
	int64_t database_ahead_ms;                             /* the database's time minus clock_monotonic_ms */
	uint64_t leased_shards;                                /* bit i: shard i */
	unsigned slow_polls;                                   /* consecutive full polls */
	bool recovered, leased, polled, ending;
	bool last_poll_was_full;
	bool progress; /* something was fetched or ended since the last poll, so the next poll may find more */

	/* the thread uses it between begin and done of a task, the main loop otherwise */
	struct {
		struct pool *pool;
		int64_t began_ms, ended_ms, took_us;
		int64_t lease_end_ms;
		uint64_t shards;
		struct due_query query;
		uint64_t ends; /* scheduler_ends before the query */
		struct due_webhooks found;
		struct due_request requests[FEEDER_ROWS];
		size_t request_count;
		struct id_set under_way;
		struct due_deliveries deliveries;
	} work;
};

/* ---- task: free what a dead dispatcher with the same lock file had leased ---- */

static int64_t
when_recover(const void *context)
{
	const struct feeder *f = context;
	return f->ending || f->recovered ? CLOCK_NEVER : 0;
}

/* An interrupted attempt counts. A delivery that ends one dispatcher after another is delayed longer each time, so that it does
 * not hold up the others. The deliveries that it interrupted are sent at other times: otherwise it would interrupt their
 * attempts every time. */
static int64_t
interrupted_delay_ms(const struct interrupted_delivery *delivery)
{
	const unsigned made = delivery->attempt - delivery->attempts_before;
	const unsigned doublings = made < INTERRUPTED_DOUBLINGS ? made : INTERRUPTED_DOUBLINGS;
	return made <= 1 ? 0 : (int64_t)random_below((UINT64_C(2) * INTERRUPTED_MS) << (doublings - 2));
}

static enum result
recover(struct store *store, void *context)
{
	struct feeder *f = context;
	const struct lock_previous *previous = f->with.lock == NULL ? NULL : lock_previous(f->with.lock);
	enum result result = RESULT_OK;
	if (previous != NULL) {
		for (size_t i = 0; i < previous->count; i++)
			previous->under_way[i].delay_ms = interrupted_delay_ms(&previous->under_way[i]);
		result = store_recover(store, previous->owner, previous->under_way, previous->count);
	}
	if (result == RESULT_OK && f->with.options->crashes != NULL)
		result = crashes_isolate(f->with.options->crashes, store);
	return result;
}

static void
recovered(void *context, enum result result)
{
	struct feeder *f = context;
	if (result != RESULT_OK)
		return;
	f->recovered = true;
	if (f->with.lock == NULL)
		return;
	const struct lock_previous *previous = lock_previous(f->with.lock);
	if (previous != NULL)
		log_info("recovered", LOG_STR("from", "a dispatcher that was killed, or ended without the database"),
		    LOG_UINT("deliveries", previous->count));
	/* the previous id is needed until its shards are free */
	lock_set_owner(f->with.lock, f->with.owner);
}

/* ---- task: lease shards ---- */

static int64_t
when_lease(const void *context)
{
	const struct feeder *f = context;
	const bool done = f->ending && slots_used(f->with.slots) == 0;
	return !f->recovered || done ? CLOCK_NEVER : feeder_may_send(f) ? f->next_lease_ms : 0;
}

static void
begin_lease(void *context)
{
	struct feeder *f = context;
	f->leased = true; /* set before the request: the response may be lost */
	f->work.began_ms = clock_monotonic_ms();
	f->work.lease_end_ms = clock_boot_ms() + f->with.options->lease_ms;
}

static enum result
lease(struct store *store, void *context)
{
	struct feeder *f = context;
	return store_shards_lease(store, f->with.owner, f->with.options->lease_ms, &f->work.shards);
}

static void
release_all(struct slot *slot)
{
	while (slot != NULL) {
		struct slot *next = slot->next;
		slot_release(slot);
		slot = next;
	}
}

/* Releases what was fetched before `before_ms`. */
static void
drop_fetched(struct feeder *f, int64_t before_ms)
{
	const struct slot *oldest;
	while ((oldest = slots_first(f->with.slots, SLOT_FETCHED)) != NULL && oldest->since_ms < before_ms) {
		const uint64_t webhook_id = oldest->delivery.destination->webhook_id;
		release_all(scheduler_drop(f->with.scheduler, webhook_id, feeder_database_ms(f)));
	}
}

static void
leased(void *context, enum result result)
{
	struct feeder *f = context;
	if (result != RESULT_OK)
		return;
	const uint64_t lost = f->leased_shards & ~f->work.shards;
	const bool lapsed = clock_boot_ms() >= f->lease_end_ms; /* another dispatcher may have had them in between */
	f->leased_shards = f->work.shards;
	f->lease_end_ms = f->work.lease_end_ms;
	/* half of the time until sending must stop: the other half is left for retries */
	f->next_lease_ms =
	    f->work.began_ms + (f->with.options->lease_ms - f->with.options->sender.timeout_ms - SEND_MARGIN_MS) / 2;
	if (f->leased_shards != UINT64_MAX && f->next_lease_ms > f->work.began_ms + STANDBY_MS)
		f->next_lease_ms = f->work.began_ms + STANDBY_MS;
	maintenance_set_shards(f->with.maintenance, f->leased_shards);
	if (lost != 0)
		log_warning("shards_lost", LOG_INT("shards", __builtin_popcountll(lost)));
	if (lost == 0 && !lapsed)
		return;
	drop_fetched(f, CLOCK_NEVER);
	scheduler_retain(f->with.scheduler, f->leased_shards, feeder_database_ms(f));
}

bool
feeder_may_send(const struct feeder *f)
{
	return clock_boot_ms() + f->with.options->sender.timeout_ms + SEND_MARGIN_MS <= f->lease_end_ms;
}

void
feeder_doubt_lease(struct feeder *f)
{
	f->lease_end_ms = 0;
}

/* ---- task: poll for webhooks with due deliveries ---- */

static int64_t
when_poll(const void *context)
{
	const struct feeder *f = context;
	if (f->ending || !f->recovered || f->lease_end_ms == 0)
		return CLOCK_NEVER;
	/* while webhooks wait for a slot, the poll for others uses the idle interval */
	const bool soon = f->progress && !scheduler_waiting(f->with.scheduler);
	return soon && f->busy_poll_ms < f->next_poll_ms ? f->busy_poll_ms : f->next_poll_ms;
}

/* A wake does not cause a poll before this time. */
static int64_t
when_woken(const struct feeder *f)
{
	return scheduler_waiting(f->with.scheduler) ? f->waiting_poll_ms : f->woken_poll_ms;
}

/* An event_handler. */
static void
woken(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct feeder *f = context;
	f->next_poll_ms = when_woken(f);
	event_loop_return(f->with.loop);
}

void
feeder_watch_wakes(struct feeder *f)
{
	const int64_t when = when_poll(f);
	const bool is_later = when != CLOCK_NEVER && when > when_woken(f);
	if (f->with.options->wake_fd >= 0 &&
	    !event_loop_watch(f->with.loop, f->with.options->wake_fd, is_later ? EPOLLIN : 0, woken, f))
		panic("a wake socket cannot be watched");
}

static void
begin_poll(void *context)
{
	struct feeder *f = context;
	wake_drain(f->with.options->wake_fd); /* before the query, which finds what these wakes announced */
	f->progress = false;
	f->work.pool = pool_new();
	f->work.began_ms = clock_monotonic_ms();
	f->work.ends = scheduler_ends(f->with.scheduler);
	f->work.query = (struct due_query){
		.shards = f->leased_shards,
		.limit = FEEDER_WEBHOOKS_MAX,
		.newest = f->work.began_ms < f->next_full_poll_ms,
	};
}

static enum result
poll_due(struct store *store, void *context)
{
	struct feeder *f = context;
	const int64_t began_us = clock_monotonic_us();
	enum result result = store_due_webhooks(store, f->work.pool, &f->work.query, &f->work.found);
	f->work.ended_ms = clock_monotonic_ms();
	f->work.took_us = clock_monotonic_us() - began_us;
	return result;
}

/* The pause after a poll, so that polls take at most 1 part in 1 + share of the time. */
static int64_t
pause_ms(int64_t poll_us, int64_t share, int64_t max_ms)
{
	const int64_t ms = (share * poll_us + MS_US - 1) / MS_US;
	return ms < max_ms ? ms : max_ms;
}

/* A full poll took `took_us`. */
static void
full_polled(struct feeder *f, int64_t now, int64_t took_us)
{
	f->slow_polls = took_us > SLOW_POLL_MS * MS_US ? f->slow_polls + 1 : 0;
	f->next_full_poll_ms = now;
	if (f->slow_polls >= SLOW_POLLS && now >= f->next_newest_poll_ms)
		f->next_full_poll_ms += pause_ms(took_us, SLOW_POLL_SHARE, SLOW_POLL_MAX_MS);
}

/* A poll of the newest rows took `took_us`: longer than a full poll if very many rows are new, because it reads them all. */
static void
newest_polled(struct feeder *f, int64_t now, int64_t took_us)
{
	if (took_us <= f->full_poll_us)
		return;
	f->next_full_poll_ms = now;
	f->next_newest_poll_ms = now + NEWEST_RETRY_MS;
}

/* An average delays several polls a little after one that took longer, and not the next one by all of its share. */
static void
note_duration(int64_t *average_us, int64_t took_us)
{
	*average_us = *average_us == 0 ? took_us : *average_us + (took_us - *average_us) / POLLS_OF_AVERAGE;
}

/* Sets the time of the next poll, assuming that it takes as long as others of its kind. */
static void
schedule_next_poll(struct feeder *f, int64_t now, int64_t next_due_ms)
{
	const int64_t poll_us = now >= f->next_full_poll_ms ? f->full_poll_us : f->newest_poll_us;
	const int64_t soonest_ms = now + pause_ms(poll_us, POLL_SHARE, POLL_PAUSE_MAX_MS);
	const int64_t waiting_ms = now + pause_ms(poll_us, WAITING_POLL_SHARE, POLL_PAUSE_MAX_MS);
	f->busy_poll_ms = soonest_ms + BUSY_POLL_MS;
	f->woken_poll_ms = soonest_ms + WOKEN_POLL_MS;
	f->waiting_poll_ms = waiting_ms + WOKEN_POLL_MS;
	f->next_poll_ms = now + f->with.options->poll_ms;
	if (scheduler_waiting(f->with.scheduler) && waiting_ms > f->next_poll_ms)
		f->next_poll_ms = waiting_ms;
	if (next_due_ms >= 0 && next_due_ms - f->database_ahead_ms < f->next_poll_ms)
		f->next_poll_ms = next_due_ms - f->database_ahead_ms + 1;
	if (f->next_poll_ms < soonest_ms)
		f->next_poll_ms = soonest_ms;
}

static void
polled(void *context, enum result result)
{
	struct feeder *f = context;
	const struct due_webhooks *found = &f->work.found;
	const bool full = !f->work.query.newest;
	const int64_t now = clock_monotonic_ms(), took_us = f->work.took_us;
	note_duration(full ? &f->full_poll_us : &f->newest_poll_us, took_us);
	if (result == RESULT_OK) {
		metrics_stamp(METRIC_POLLED, clock_wall_ms());
		f->database_ahead_ms = found->now_ms - f->work.ended_ms;
		if (full)
			full_polled(f, now, took_us);
		else
			newest_polled(f, now, took_us);
		scheduler_note_poll(f->with.scheduler, found, f->work.ends);
		maintenance_note_poll(f->with.maintenance, found);
		if (full)
			maintenance_note_full_poll(f->with.maintenance, found);
		if (f->slow_polls >= SLOW_POLLS)
			maintenance_note_slow_polls(f->with.maintenance);
		job_worker_note_poll(f->with.jobs, found);
		schedule_next_poll(f, now, found->next_due_ms);
		f->last_poll_was_full = full;
		f->polled = true;
	} else {
		f->progress = true;
		/* otherwise a query that always times out would be retried forever */
		if (full && took_us > FAILED_POLL_MS * MS_US)
			f->next_full_poll_ms = now + SLOW_POLL_MAX_MS;
	}
	pool_free(&f->work.pool);
}

/* ---- task: fetch deliveries ---- */

static size_t
room(const struct feeder *f)
{
	const size_t fetched = slots_in(f->with.slots, SLOT_FETCHED), unused = slots_in(f->with.slots, SLOT_UNUSED);
	const size_t left = fetched < FEEDER_ROWS ? FEEDER_ROWS - fetched : 0;
	return left < unused ? left : unused;
}

/* Under load, many deliveries are fetched at a time. */
static int64_t
when_fetch(const void *context)
{
	const struct feeder *f = context;
	if (f->ending || room(f) < FEEDER_ROWS / 2 || !feeder_may_send(f))
		return CLOCK_NEVER;
	return scheduler_wants(f->with.scheduler, feeder_database_ms(f)) ? 0 : CLOCK_NEVER;
}

static void
begin_fetch(void *context)
{
	struct feeder *f = context;
	f->work.pool = pool_new();
	f->work.request_count =
	    scheduler_request(f->with.scheduler, room(f), FEEDER_ROWS, feeder_database_ms(f), f->work.requests);
	f->work.under_way = slots_ids(f->with.slots, f->work.pool);
}

static enum result
fetch(struct store *store, void *context)
{
	struct feeder *f = context;
	f->work.deliveries.count = 0;
	return store_fetch_due(
	    store, f->work.pool, f->work.requests, f->work.request_count, &f->work.under_way, &f->work.deliveries);
}

static void
fetched(void *context, enum result result)
{
	struct feeder *f = context;
	const int64_t now = clock_monotonic_ms(), database_ms = feeder_database_ms(f);
	for (size_t i = 0; result == RESULT_OK && i < f->work.deliveries.count; i++) {
		const struct due_delivery *delivery = &f->work.deliveries.items[i];
		const uint64_t shard = UINT64_C(1) << webhook_shard(delivery->destination->webhook_id);
		if (delivery->destination->state == WEBHOOK_ACTIVE || delivery->destination->state == WEBHOOK_MISSING)
			f->progress = true; /* if the webhook was removed, the next poll reports that */
		if (delivery->destination->state == WEBHOOK_ACTIVE && (f->leased_shards & shard) != 0)
			scheduler_add(f->with.scheduler, slots_take(f->with.slots, delivery, now), database_ms);
	}
	for (size_t i = 0; i < f->work.request_count; i++)
		scheduler_answer(f->with.scheduler, &f->work.requests[i], result, database_ms);
	pool_free(&f->work.pool);
}

int64_t
feeder_drop_ms(const struct feeder *f)
{
	const struct slot *oldest = slots_first(f->with.slots, SLOT_FETCHED);
	return oldest == NULL ? CLOCK_NEVER : oldest->since_ms + WAIT_MAX_MS;
}

void
feeder_drop_old(struct feeder *f)
{
	drop_fetched(f, f->ending ? CLOCK_NEVER : clock_monotonic_ms() - WAIT_MAX_MS + 1);
}

/* ---- task: give a sign that the dispatcher works ---- */

static int64_t
when_beat(const void *context)
{
	const struct feeder *f = context;
	return f->recovered && f->may_beat && !(f->ending && !f->leased) ? f->next_beat_ms : CLOCK_NEVER;
}

static enum result
beat(struct store *store, void *context)
{
	struct feeder *f = context;
	return store_beat(store, &f->heartbeat);
}

static void
beaten(void *context, enum result result)
{
	struct feeder *f = context;
	if (result == RESULT_OK)
		f->next_beat_ms = clock_monotonic_ms() + HEARTBEAT_MS;
}

void
feeder_note_recorder(struct feeder *f, int64_t busy_ms)
{
	f->may_beat = busy_ms <= HEARTBEAT_WITHIN_MS;
}

/* ---- task: release the shards ---- */

static int64_t
when_release(const void *context)
{
	const struct feeder *f = context;
	return f->ending && f->leased && slots_used(f->with.slots) == 0 ? 0 : CLOCK_NEVER;
}

static enum result
release(struct store *store, void *context)
{
	const struct feeder *f = context;
	const enum result result = store_shards_release(store, f->with.owner);
	return result == RESULT_OK ? store_end_beats(store, &f->heartbeat) : result;
}

static void
released(void *context, enum result result)
{
	struct feeder *f = context;
	if (result != RESULT_OK)
		return;
	f->leased = false;
	if (f->with.lock != NULL)
		lock_clear_owner(f->with.lock);
}

/* ---- the tasks ---- */

static const struct task table[] = {
	{ "recover", when_recover, NULL, recover, recovered },
	{ "beat", when_beat, NULL, beat, beaten },
	{ "lease", when_lease, begin_lease, lease, leased },
	{ "poll", when_poll, begin_poll, poll_due, polled },
	{ "fetch", when_fetch, begin_fetch, fetch, fetched },
	{ "release", when_release, NULL, release, released },
};

struct feeder *
feeder_new(struct store *store, const struct feeder_parts *with)
{
	struct feeder *f = memory_alloc(sizeof(*f));
	f->with = *with;
	f->heartbeat =
	    (struct heartbeat){ .process = HEARTBEAT_DISPATCHER, .owner = with->owner, .stays = with->options->stay };
	f->progress = true;
	f->tasks = tasks_new(with->loop, store, table, ARRAY_SIZE(table), f);
	if (f->tasks == NULL)
		feeder_free(&f);
	return f;
}

void
feeder_free(struct feeder **feeder)
{
	if (*feeder == NULL)
		return;
	event_loop_forget((*feeder)->with.loop, (*feeder)->with.options->wake_fd);
	tasks_free(&(*feeder)->tasks);
	pool_free(&(*feeder)->work.pool);
	free(*feeder);
	*feeder = NULL;
}

struct tasks *
feeder_tasks(const struct feeder *f)
{
	return f->tasks;
}

int64_t
feeder_database_ms(const struct feeder *f)
{
	return clock_monotonic_ms() + f->database_ahead_ms;
}

int64_t
feeder_database_ahead_ms(const struct feeder *f)
{
	return f->database_ahead_ms;
}

void
feeder_note_progress(struct feeder *f)
{
	f->progress = true;
}

bool
feeder_found_nothing(const struct feeder *f)
{
	return f->last_poll_was_full && !f->progress && !tasks_are_busy(f->tasks);
}

void
feeder_end(struct feeder *f)
{
	f->ending = true;
}

bool
feeder_has_ended(const struct feeder *f)
{
	return f->ending && !f->leased && !tasks_are_busy(f->tasks);
}

bool
feeder_has_polled(const struct feeder *f)
{
	return f->polled;
}
