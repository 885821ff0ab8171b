/* SPDX-License-Identifier: MIT
 * The main loop: runs each step of a table (steps.c) that is due, then waits until the next one is due. The loop
 * accesses the database only in steps. While it is unavailable, only the results of the threads are handled. */
#include "deliver/dispatcher.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "deliver/steps.h"

enum {
	STOP_WOKEN = 1 << 0,         /* in the result of sender_wait: stop_fd is the first descriptor, … */
	POLL_WOKEN = 1 << 3,         /* … steps_wake_fd the fourth */
	TURN = 8,                    /* deliveries of a webhook per turn: a claim runs one query per webhook */
	STALL_MARGIN_MS = 10 * 1000, /* between the end of an extended attempt and the end of its claim */
	GIVE_UP_MS = 5 * 1000        /* how long shutdown waits for an unavailable database once nothing is under way */
};

/* Slots are freed before new claims. */
static void
handle_results(struct dispatcher *d)
{
	recorder_collect(d->recorder);
	if (maintenance_collect(d->maintenance))
		d->progress = true;
}

static void
run_steps(struct dispatcher *d)
{
	size_t count;
	const struct dispatcher_step *steps = steps_all(&count);
	for (size_t i = 0; i < count; i++) {
		int64_t now = clock_monotonic_ms();
		if (now < d->away.until_ms || now < steps[i].when(d))
			continue;
		enum result result = steps[i].run(d);
		pool_reset(d->pool);
		if (result != RESULT_OK) {
			back_off(&d->away, steps[i].name, result);
			return;
		}
		if (steps[i].uses_database)
			d->away = (struct back_off){ 0 };
	}
}

/* Time until the next step is due, at most until the next check for shutdown. */
static int64_t
wait_ms(const struct dispatcher *d)
{
	int64_t now = clock_monotonic_ms(), first = now + d->options.poll_ms;
	size_t count;
	const struct dispatcher_step *steps = steps_all(&count);
	for (size_t i = 0; i < count; i++) {
		int64_t when = steps[i].when(d);
		when = when > d->away.until_ms ? when : d->away.until_ms;
		first = when < first ? when : first;
	}
	return first > now ? first - now : 0;
}

static bool
nothing_due(const struct dispatcher *d)
{
	return d->last_poll_was_full && !d->progress && d->untried_count == 0 && !maintenance_has_work(d->maintenance) &&
	       slots_used(d->slots) == 0 && !scheduler_waiting(d->scheduler);
}

static void
begin_end_if(struct dispatcher *d, bool reason)
{
	if (!reason || d->ending)
		return;
	d->ending = true;
	d->give_up_ms = clock_monotonic_ms() + GIVE_UP_MS;
}

/* True when no work is left or the wait for the database has timed out. Never true while outcomes are being recorded, because
 * that can exceed GIVE_UP_MS without an error. */
static bool
is_finished(struct dispatcher *d)
{
	if (!d->ending)
		return false;
	if (slots_in(d->slots, SLOT_SENDING) > 0)
		d->give_up_ms = clock_monotonic_ms() + GIVE_UP_MS;
	if (slots_used(d->slots) == 0 && !d->leased && !maintenance_is_busy(d->maintenance))
		return true;
	return clock_monotonic_ms() >= d->give_up_ms && !recorder_is_busy(d->recorder);
}

enum result
dispatcher_run(struct dispatcher *d)
{
	if (d->options.max_runtime_ms > 0)
		d->end_ms = clock_monotonic_ms() + d->options.max_runtime_ms;
	for (;;) {
		begin_end_if(d, clock_monotonic_ms() >= d->end_ms);
		handle_results(d);
		run_steps(d);
		begin_end_if(d, !d->options.stay && nothing_due(d));
		if (is_finished(d))
			break;
		/* Once it has fired, the first descriptor stays readable. */
		const int wake[SENDER_WAKE_FDS] = { d->ending ? -1 : d->options.stop_fd, recorder_fd(d->recorder),
			maintenance_fd(d->maintenance), steps_wake_fd(d) };
		const unsigned woken = sender_wait(d->sender, wait_ms(d), wake);
		if ((woken & POLL_WOKEN) != 0)
			steps_woken(d);
		d->stopped = (woken & STOP_WOKEN) != 0 || d->stopped;
		begin_end_if(d, d->stopped);
	}
	if (slots_used(d->slots) > 0) {
		log_error("outcomes_given_up", LOG_UINT("deliveries", slots_used(d->slots)));
		return RESULT_UNAVAILABLE;
	}
	/* a stop requested by the operator is a success: leases expire on their own (docs/deliveries.md 6) */
	return d->stopped || (d->polled && !d->leased) ? RESULT_OK : RESULT_UNAVAILABLE;
}

/* An initial concurrency above the maximum is lowered to it, so that the operator can lower the maximum alone. An attempt ends
 * before its claim, even when database calls delay the reading of responses. */
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

struct dispatcher *
dispatcher_new(const struct dispatcher_options *options, const struct dispatcher_stores *stores, struct lock *lock)
{
	if (!options_are_valid(options))
		return NULL;
	struct dispatcher *d = memory_alloc(sizeof(*d));
	d->options = adjusted_options(options);
	d->store = stores->own;
	d->lock = lock;
	d->end_ms = CLOCK_NEVER;
	d->progress = true;
	d->pool = pool_new();
	d->scheduler = scheduler_new(
	    &(struct scheduler_limits){ .webhooks = STEPS_WEBHOOKS_MAX, .slots = options->sender.in_flight, .turn = TURN },
	    &d->options.health);
	random_bytes(d->owner, sizeof(d->owner));
	d->slots = slots_new(options->sender.in_flight);
	d->sender = sender_new(&d->options.sender, steps_attempt_done, d);
	d->recorder = recorder_new(stores->recorder, d->slots, options->lease_ms, steps_slot_released, d);
	d->maintenance = maintenance_new(stores->maintenance, options->crashes, STEPS_WEBHOOKS_MAX);
	if (d->sender == NULL || d->recorder == NULL || d->maintenance == NULL)
		dispatcher_free(&d);
	return d;
}

void
dispatcher_free(struct dispatcher **dispatcher)
{
	struct dispatcher *d = *dispatcher;
	if (d == NULL)
		return;
	maintenance_free(&d->maintenance);
	recorder_free(&d->recorder);
	sender_free(&d->sender);
	scheduler_free(&d->scheduler);
	slots_free(&d->slots);
	pool_free(&d->pool);
	free(d);
	*dispatcher = NULL;
}
