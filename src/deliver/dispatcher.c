/* SPDX-License-Identifier: MIT
 * The main loop: starts deliveries, gives the threads work, and waits for what they and the receivers have done. It does not
 * access the database. */
#include "deliver/dispatcher.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/pool.h"
#include "deliver/attempt_judge.h"
#include "deliver/feeder.h"
#include "deliver/job_worker.h"
#include "deliver/maintenance.h"
#include "deliver/recorder.h"
#include "deliver/scheduler.h"
#include "deliver/send/delivery_request.h"
#include "deliver/slots.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/notify.h"
#include "os/random.h"
#include "store/heartbeats.h"

enum {
	TURN = 32,                   /* number of deliveries of a webhook that are fetched at a time */
	STARTS_MAX = 32,             /* attempts that begin in one iteration: until its end, threads that are done wait */
	STALL_MARGIN_MS = 10 * 1000, /* how much shorter than the lease the longest extended attempt is */
	STALLED_MS = 5 * MINUTE_MS,  /* a task that takes longer hangs: a slow database alone does not explain it */
	JOB_MORE_MS = 6 * MINUTE_MS, /* how much longer a turn of a job may take than an attempt: it may send a test mail */
	GIVE_UP_MS = 5 * 1000        /* how long shutdown waits for an unavailable database once nothing is under way */
};

struct dispatcher {
	struct dispatcher_options options;
	struct lock *lock;
	struct event_loop *loop;
	struct sender *sender;
	struct scheduler *scheduler;
	struct slots *slots;
	struct feeder *feeder;
	struct recorder *recorder;
	struct maintenance *maintenance;
	struct job_worker *jobs;
	struct tasks *threads[DISPATCHER_CONNECTIONS]; /* the threads of the four parts above */
	unsigned char owner[DISPATCH_OWNER_SIZE];      /* owner of the leases */
	int64_t end_ms;                                /* no new attempts after this time … */
	int64_t give_up_ms;         /* … and until this time it waits for the database; in clock_monotonic_ms */
	size_t companions;          /* processes next to this one that are still working */
	bool ending, stopped, lost; /* stopped: by stop_fd; lost: because a process next to this one has ended */
};

/* ---- attempts ---- */

static void
attempt_ended(struct dispatcher *d, struct slot *slot, const struct attempt_result *result)
{
	judge_attempt(d->scheduler, slot, result, clock_monotonic_ms(), feeder_database_ahead_ms(d->feeder));
}

#ifdef LEADHOOK_DEBUG
/* For tests: a delivery whose URL contains this text kills each dispatcher that gets its answer. */
static void
die_of(const struct due_delivery *delivery)
{
	const struct slice url = delivery->destination->url, text = slice_of(getenv("LEADHOOK_DEBUG_DEADLY_URL"));
	if (text.size > 0 && memmem(url.data, url.size, text.data, text.size) != NULL)
		raise(SIGKILL);
}
#else
#define die_of(delivery) ((void)(delivery))
#endif

/* A sender_done. */
static void
attempt_done(void *context, void *cookie, const struct attempt_result *result)
{
	log_work(LOG_UINT("delivery", ((const struct slot *)cookie)->delivery.id));
	die_of(&((const struct slot *)cookie)->delivery);
	attempt_ended(context, cookie, result);
	log_work_done();
}

/* A recorder_released. */
static void
slot_recorded(void *context, const struct slot *slot, const struct delivery_outcome *outcome)
{
	struct dispatcher *d = context;
	if (outcome->stale)
		feeder_doubt_lease(d->feeder);
	else if (outcome->webhook_state != WEBHOOK_ACTIVE)
		maintenance_deactivate_webhook(d->maintenance, outcome->webhook_id, outcome->webhook_state);
	scheduler_ended(d->scheduler, outcome->webhook_id, feeder_database_ms(d->feeder));
	if (d->lock != NULL)
		lock_note_recorded(d->lock, slot->place);
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
start(struct dispatcher *d, struct slot *slot)
{
	const int64_t now = clock_monotonic_ms();
	const struct due_delivery *delivery = &slot->delivery;
	const struct retry_schedule *schedule = schedule_of(d, slot->pool, delivery->destination);
	struct attempt attempt;
	slot_start(slot, schedule, now);
	if (slot_attempts_made(slot) > schedule->count + 1) {
		attempt_ended(d, slot, &(struct attempt_result){ .error = SENDER_INTERRUPTED });
	} else if (delivery->destination->sealed) {
		attempt_ended(d, slot, &(struct attempt_result){ .error = SENDER_SEALED });
	} else if (delivery_request_make(slot->pool, delivery, now + feeder_database_ahead_ms(d->feeder), &attempt)) {
		if (d->lock != NULL)
			lock_note_attempt(d->lock, slot->place, delivery);
		sender_start(d->sender, &attempt, slot);
	} else {
		log_error("delivery_broken", LOG_UINT("delivery", delivery->id),
		    LOG_UINT("webhook", delivery->destination->webhook_id));
		attempt_ended(d, slot, &(struct attempt_result){ .error = SENDER_UNREADABLE });
	}
}

static struct places
places_left(const struct dispatcher *d)
{
	const size_t all = d->options.sender.in_flight, under_way = slots_under_way(d->slots);
	const size_t left = under_way < all ? all - under_way : 0;
	return (struct places){ left, left + slots_in(d->slots, SLOT_ENDED) };
}

static void
start_fetched(struct dispatcher *d)
{
	for (size_t i = 0; i < STARTS_MAX && !d->ending && feeder_may_send(d->feeder); i++) {
		struct slot *slot = scheduler_take(d->scheduler, places_left(d), feeder_database_ms(d->feeder));
		if (slot == NULL)
			break;
		log_work(LOG_UINT("delivery", slot->delivery.id));
		start(d, slot);
		log_work_done();
	}
	feeder_drop_old(d->feeder);
}

/* ---- the loop ---- */

static void
note_progress(struct dispatcher *d)
{
	const bool maintained = maintenance_take_progress(d->maintenance);
	if (job_worker_take_progress(d->jobs) || maintained)
		feeder_note_progress(d->feeder);
}

static bool
nothing_due(const struct dispatcher *d)
{
	/* deliveries are still sent while a process next to this one works */
	return d->companions == 0 && feeder_found_nothing(d->feeder) && !maintenance_has_work(d->maintenance) &&
	       !job_worker_has_work(d->jobs) && slots_used(d->slots) == slots_in(d->slots, SLOT_OUTCOME_REJECTED) &&
	       !scheduler_waiting(d->scheduler);
}

static void
begin_end(struct dispatcher *d)
{
	if (d->ending)
		return;
	d->ending = true;
	event_loop_forget(d->loop, d->options.stop_fd);
	notify_stopping(d->options.notifier);
	d->give_up_ms = clock_monotonic_ms() + GIVE_UP_MS;
	feeder_end(d->feeder);
	recorder_end(d->recorder);
	maintenance_end(d->maintenance);
	job_worker_end(d->jobs);
}

/* An event_handler. */
static void
stop_requested(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct dispatcher *d = context;
	d->stopped = true;
	begin_end(d);
	event_loop_return(d->loop);
}

/* An event_handler. A process that runs with `stay` ends before this one only if it was killed together with its parent, or if
 * it alone got a signal. This process then ends, too, and its service manager or cron restarts all of them. */
static void
companion_ended(void *context, int fd, uint32_t ready UNUSED)
{
	struct dispatcher *d = context;
	event_loop_forget(d->loop, fd);
	event_loop_return(d->loop);
	d->companions--;
	if (!d->options.stay || d->end_ms != CLOCK_NEVER || d->ending)
		return;
	d->lost = true;
	log_error("companion_ended",
	    LOG_STR("hint", "the process that sends mail or texts was ended from outside; the dispatcher ends, too"));
	begin_end(d);
}

/* True when no work is left or the wait for the database has timed out. Never true while outcomes are being recorded, because
 * that can exceed GIVE_UP_MS without an error. */
static bool
is_finished(struct dispatcher *d)
{
	if (!d->ending)
		return false;
	if (slots_in(d->slots, SLOT_SENDING) > 0 || tasks_are_busy(job_worker_tasks(d->jobs)))
		d->give_up_ms = clock_monotonic_ms() + GIVE_UP_MS;
	if (slots_used(d->slots) == 0 && feeder_has_ended(d->feeder) && !tasks_are_busy(maintenance_tasks(d->maintenance)) &&
	    job_worker_has_ended(d->jobs))
		return true;
	return clock_monotonic_ms() >= d->give_up_ms && !tasks_are_busy(recorder_tasks(d->recorder));
}

/* Nothing is sent if deliveries are not fetched or outcomes are not recorded. Maintenance may take as long as a large table
 * needs. Each wait for the database ends earlier (WIRING_ANSWER_MS): a thread whose task takes longer hangs. */
static bool
is_sound(const struct dispatcher *d)
{
	return tasks_busy_ms(recorder_tasks(d->recorder)) <= STALLED_MS && tasks_busy_ms(feeder_tasks(d->feeder)) <= STALLED_MS;
}

/* When something is due, but no later than the next check for shutdown. */
static int64_t
next_due_ms(const struct dispatcher *d)
{
	const int64_t now = clock_monotonic_ms(), database_ms = feeder_database_ms(d->feeder);
	const int64_t next_ms = d->ending || !feeder_may_send(d->feeder)
				    ? CLOCK_NEVER
				    : scheduler_next_ms(d->scheduler, places_left(d), database_ms);
	const int64_t whens[] = {
		feeder_drop_ms(d->feeder),
		next_ms == CLOCK_NEVER ? CLOCK_NEVER : next_ms - feeder_database_ahead_ms(d->feeder),
		is_sound(d) ? notify_when(d->options.notifier) : CLOCK_NEVER,
	};
	int64_t first = now + d->options.poll_ms;
	for (size_t i = 0; i < ARRAY_SIZE(whens); i++)
		first = whens[i] < first ? whens[i] : first;
	for (size_t i = 0; i < DISPATCHER_CONNECTIONS; i++) {
		const int64_t when = tasks_when(d->threads[i]);
		first = when < first ? when : first;
	}
	return first;
}

enum result
dispatcher_run(struct dispatcher *d)
{
	if (d->options.max_runtime_ms > 0)
		d->end_ms = clock_monotonic_ms() + d->options.max_runtime_ms;
	notify_ready(d->options.notifier, "Delivering");
	for (;;) {
		if (is_sound(d))
			notify_alive(d->options.notifier);
		if (clock_monotonic_ms() >= d->end_ms)
			begin_end(d);
		note_progress(d);
		start_fetched(d);
		if (!d->options.stay && nothing_due(d))
			begin_end(d);
		feeder_note_recorder(d->feeder, tasks_busy_ms(recorder_tasks(d->recorder)));
		for (size_t i = 0; i < DISPATCHER_CONNECTIONS; i++)
			tasks_begin(d->threads[i]);
		metrics_process_under_way(slots_in(d->slots, SLOT_SENDING));
		if (is_finished(d))
			break;
		feeder_watch_wakes(d->feeder);
		event_loop_wait(d->loop, next_due_ms(d));
	}
	if (slots_used(d->slots) > 0) {
		log_error("outcomes_given_up", LOG_UINT("deliveries", slots_used(d->slots)));
		return RESULT_UNAVAILABLE;
	}
	if (d->lost && !d->stopped)
		return RESULT_UNAVAILABLE;
	/* a stop requested by the operator is a success: leases expire on their own (docs/deliveries.md 4.1) */
	return d->stopped || (feeder_has_polled(d->feeder) && feeder_has_ended(d->feeder)) ? RESULT_OK : RESULT_UNAVAILABLE;
}

/* An initial concurrency above the maximum is lowered to it, so that the operator can lower only the maximum. An attempt that
 * is extended, because the loop was late to read responses, still takes STALL_MARGIN_MS less than a lease. */
static struct dispatcher_options
adjusted_options(const struct dispatcher_options *options)
{
	struct dispatcher_options own = *options;
	if (own.health.concurrency_start > own.health.concurrency_max)
		own.health.concurrency_start = own.health.concurrency_max;
	own.sender.stall_max_ms = own.lease_ms - own.sender.timeout_ms - STALL_MARGIN_MS;
	return own;
}

static bool
options_are_valid(const struct dispatcher_options *options)
{
	bool hold = options->lease_ms >= options->sender.timeout_ms + DISPATCHER_LEASE_MARGIN_MS;
	if (!hold)
		log_error("lease_too_short", LOG_INT("lease_ms", options->lease_ms),
		    LOG_INT("attempt_timeout_ms", options->sender.timeout_ms));
	return hold;
}

size_t
dispatcher_slots(size_t in_flight)
{
	return in_flight + FEEDER_ROWS;
}

struct dispatcher *
dispatcher_new(const struct dispatcher_options *options, const struct dispatcher_stores *stores, struct lock *lock)
{
	if (!options_are_valid(options))
		return NULL;
	struct dispatcher *d = memory_alloc(sizeof(*d));
	d->options = adjusted_options(options);
	d->lock = lock;
	d->end_ms = CLOCK_NEVER;
	random_bytes(d->owner, sizeof(d->owner));
	const struct scheduler_limits limits = { FEEDER_WEBHOOKS_MAX, options->sender.in_flight, TURN };
	d->scheduler = scheduler_new(&limits, &d->options.health);
	d->slots = slots_new(dispatcher_slots(options->sender.in_flight));
	d->loop = event_loop_new();
	d->sender = sender_new(d->loop, &d->options.sender, attempt_done, d);
	d->maintenance = maintenance_new(d->loop, stores->maintenance, options->crashes, d->slots, FEEDER_WEBHOOKS_MAX);
	d->recorder = recorder_new(d->loop, stores->recorder, d->slots, d->owner, slot_recorded, d);
	const struct job_worker_parts jobs = { d->loop, options->job_settings, d->slots, d->owner,
		options->lease_ms + JOB_MORE_MS };
	d->jobs = job_worker_new(stores->jobs, &jobs);
	const struct feeder_parts feeder = { d->loop, &d->options, d->scheduler, d->slots, d->maintenance, d->jobs, lock,
		d->owner };
	d->feeder = feeder_new(stores->feeder, &feeder);
	if (d->sender == NULL || d->maintenance == NULL || d->recorder == NULL || d->jobs == NULL || d->feeder == NULL) {
		dispatcher_free(&d);
		return NULL;
	}
	d->threads[0] = recorder_tasks(d->recorder);
	d->threads[1] = feeder_tasks(d->feeder);
	d->threads[2] = maintenance_tasks(d->maintenance);
	d->threads[3] = job_worker_tasks(d->jobs);
	event_loop_watch_input(d->loop, d->options.stop_fd, stop_requested, d);
	for (size_t i = 0; i < DISPATCHER_COMPANIONS; i++) {
		event_loop_watch_input(d->loop, d->options.companion_fds[i], companion_ended, d);
		d->companions += d->options.companion_fds[i] >= 0 ? 1 : 0;
	}
	return d;
}

void
dispatcher_free(struct dispatcher **dispatcher)
{
	struct dispatcher *d = *dispatcher;
	if (d == NULL)
		return;
	feeder_free(&d->feeder);
	maintenance_free(&d->maintenance);
	job_worker_free(&d->jobs);
	recorder_free(&d->recorder);
	sender_free(&d->sender);
	scheduler_free(&d->scheduler);
	slots_free(&d->slots);
	event_loop_free(&d->loop);
	free(d);
	*dispatcher = NULL;
}
