/* SPDX-License-Identifier: MIT */
#include "fcgi/worker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/pool.h"
#include "fcgi/exchange.h"
#include "fcgi/signals.h"
#include "fcgi/slow_answers.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/event_loop.h"
#include "os/fiber.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/notify.h"
#include "os/random.h"

/* How many connections are accepted at once, before earlier requests are continued. */
enum { ACCEPT_MAX = 4 };

/* Serves one request at a time, in a fiber. */
struct lane {
	struct worker *worker;
	struct fiber *fiber;
	struct fcgi_exchange *exchange;
	void *state;      /* the application's */
	int connection;   /* of the request */
	int64_t begun_ms; /* when it had been received; CLOCK_NEVER: it is being received, which has a time limit of its own */
};

struct worker {
	const struct worker_setup *setup;
	const struct fcgi_application *application;
	struct scoreboard_slot *slot;
	struct event_loop *loop;
	struct slow_answers *slow;
	struct lane *lanes;
	size_t lane_count, busy; /* lanes; those that serve a request */
	int listening, signals;
	bool watched; /* the loop reports connections */
	struct event_timer idle;
	uint64_t served, quota; /* quota 0: no limit */
	bool stopping, reload_requested;
	int status; /* exit status */
};

/* ---- requests ---- */

/* The parent judges a worker by its oldest request. A slow sender must not end the requests of others, so the time for
 * receiving does not count. */
static void
report(const struct worker *worker)
{
	int64_t oldest_ms = clock_monotonic_ms();
	if (worker->busy == 0) {
		scoreboard_idle(worker->slot);
		return;
	}
	for (size_t i = 0; i < worker->lane_count; i++)
		if (fiber_is_running(worker->lanes[i].fiber) && worker->lanes[i].begun_ms < oldest_ms)
			oldest_ms = worker->lanes[i].begun_ms;
	scoreboard_busy_since(worker->slot, oldest_ms);
}

/* The function of the fiber. */
static void
serve(void *context)
{
	struct lane *lane = context;
	struct worker *worker = lane->worker;
	const struct fcgi_application *application = worker->application;
	const int64_t accepted_ms = clock_monotonic_ms();
	lane->begun_ms = CLOCK_NEVER;
	if (exchange_open(lane->exchange, lane->connection)) {
		exchange_read_body(lane->exchange, application->body_limit(lane->state, lane->exchange));
		lane->begun_ms = clock_monotonic_ms();
		report(worker);
		application->handle(lane->state, lane->exchange);
		if (exchange_close(lane->exchange))
			metrics_observe(METRIC_REQUEST_TIME, clock_monotonic_ms() - accepted_ms);
		else
			log_error("request_unanswered", LOG_UINT("served", worker->served));
		application->answered(lane->state);
	} else {
		log_debug("connection_dropped", LOG_UINT("served", worker->served));
	}
	worker->busy--;
	event_loop_return(worker->loop);
}

static struct lane *
find_free(struct worker *worker)
{
	for (size_t i = 0; i < worker->lane_count; i++)
		if (!fiber_is_running(worker->lanes[i].fiber))
			return &worker->lanes[i];
	return NULL;
}

/* Returns false when no lane is free, or no connection is waiting: another worker may have taken it. */
static bool
serve_next(struct worker *worker)
{
	struct lane *lane = find_free(worker);
	if (lane == NULL)
		return false;
	lane->connection = accept4(worker->listening, NULL, NULL, SOCK_CLOEXEC);
	if (lane->connection >= 0) {
		worker->served++;
		worker->busy++;
		fiber_run(lane->fiber, serve, lane);
		report(worker);
		return true;
	}
	/* Out of descriptors or memory: waiting would spin, a new process may succeed. */
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		log_error("accept_failed", LOG_ERRNO(errno));
		worker->status = EX_OSERR;
		worker->stopping = true;
	}
	return false;
}

static bool
goes_on(const struct worker *worker)
{
	return !worker->stopping && (worker->quota == 0 || worker->served < worker->quota);
}

/* Whether the worker takes the next connection. All workers use half of their lanes before one of them uses more: the kernel
 * would give most connections to few of them. A worker that does not watch the socket looks again when one of its requests
 * ends, and once per idle_ms. */
static bool
takes_connections(struct worker *worker)
{
	const bool wants = goes_on(worker) && !worker->reload_requested;
	const bool has_room = wants && 2 * worker->busy < worker->lane_count;
	atomic_store(&worker->slot->has_room, has_room);
	return has_room || (wants && worker->busy < worker->lane_count && !scoreboard_has_room(worker->setup->scoreboard));
}

/* An event_handler: a connection waits. Takes it even if another worker has got room in the meantime, which was not woken. */
static void
connected(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct worker *worker = context;
	int taken = 0;
	while (taken < ACCEPT_MAX && (taken == 0 ? goes_on(worker) : takes_connections(worker)) && serve_next(worker))
		taken++;
	event_loop_return(worker->loop);
}

/* Exclusive: a connection wakes one worker, not all. */
static bool
watch_connections(struct worker *worker)
{
	const bool wanted = takes_connections(worker);
	if (wanted == worker->watched)
		return true;
	worker->watched = wanted;
	return event_loop_watch(worker->loop, worker->listening, wanted ? EPOLLIN | EPOLLEXCLUSIVE : 0, connected, worker);
}

/* ---- signals, idle times ---- */

/* An event_handler. */
static void
read_signals(void *context, int fd, uint32_t ready UNUSED)
{
	struct worker *worker = context;
	struct signalfd_siginfo info;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (signal_means_stop((int)info.ssi_signo))
			worker->stopping = true;
		else if (info.ssi_signo == SIGUSR2)
			log_reopen();
		else if (info.ssi_signo == SIGHUP && worker->setup->alone) /* otherwise the parent handles it */
			worker->reload_requested = true;
	}
	event_loop_return(worker->loop);
}

/* A connection wakes only one worker, which may have died. So all workers look for one from time to time. */
static void
idle(void *context, int64_t now_ms)
{
	struct worker *worker = context;
	worker->idle.due_ms = now_ms + worker->setup->options->idle_ms;
	if (worker->watched)
		connected(worker, worker->listening, 0);
	for (size_t i = 0; i < worker->lane_count; i++)
		if (!fiber_is_running(worker->lanes[i].fiber) && worker->lanes[i].state != NULL)
			worker->application->idle(worker->lanes[i].state);
	event_loop_return(worker->loop);
}

/* ---- start and end ---- */

static bool
start_application(struct worker *worker)
{
	for (size_t i = 0; i < worker->lane_count; i++) {
		worker->lanes[i].state = worker->application->lane_start(worker->application->context);
		if (worker->lanes[i].state == NULL) {
			worker->status = EX_UNAVAILABLE;
			return false;
		}
	}
	return true;
}

static void
stop_application(struct worker *worker)
{
	for (size_t i = 0; i < worker->lane_count; i++) {
		if (worker->lanes[i].state != NULL)
			worker->application->lane_stop(worker->lanes[i].state);
		worker->lanes[i].state = NULL;
	}
}

static void
reload(struct worker *worker)
{
	const struct fcgi_application *application = worker->application;
	worker->reload_requested = false;
	notify_reloading(worker->setup->notifier);
	if (!application->prepare(application->context)) {
		log_error("reload_failed", LOG_STR("consequence", "the previous configuration stays"));
		notify_ready(worker->setup->notifier, "Serving; the last reload failed, see the log");
		return;
	}
	stop_application(worker);
	application->adopt(application->context);
	if (!start_application(worker)) {
		worker->stopping = true;
		return;
	}
	log_info("reloaded", LOG_UINT("served", worker->served));
	notify_ready(worker->setup->notifier, "Serving");
}

/* Waits for events and handles them. */
static void
wait_for_events(struct worker *worker)
{
	notify_alive(worker->setup->notifier);
	report(worker);
	event_loop_wait(worker->loop, notify_when(worker->setup->notifier));
}

/* A worker that wakes up does not preempt the processes that do the work for its other lanes. */
static void
use_batch_scheduling(void)
{
	const struct sched_param none = { .sched_priority = 0 };
	if (sched_setscheduler(0, SCHED_BATCH, &none) != 0)
		log_debug("no_batch_scheduling", LOG_ERRNO(errno));
}

static bool
open_signals(struct worker *worker)
{
	sigset_t set;
	signals_fill(&set);
	worker->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (worker->signals >= 0)
		return true;
	log_error("worker_failed", LOG_ERRNO(errno));
	worker->status = EX_OSERR;
	return false;
}

static bool
start(struct worker *worker)
{
	const struct fcgi_options *options = worker->setup->options;
	worker->quota = /* so that workers do not all end at the same time */
	    options->max_requests == 0 ? 0 : options->max_requests + random_below(options->max_requests / 10 + 1);
	if (!open_signals(worker))
		return false;
	event_loop_watch_input(worker->loop, worker->signals, read_signals, worker);
	worker->idle =
	    (struct event_timer){ .due_ms = clock_monotonic_ms() + options->idle_ms, .run = idle, .context = worker };
	event_loop_add_timer(worker->loop, &worker->idle);
	for (size_t i = 0; i < worker->lane_count; i++)
		worker->lanes[i] = (struct lane){
			.worker = worker, .fiber = fiber_new(worker->loop), .exchange = exchange_new(options, worker->slow)
		};
	if (!worker->setup->alone)
		use_batch_scheduling();
	return start_application(worker);
}

/* Whether queued connections would be refused if this process ended now. */
static bool
must_drain(const struct worker *worker)
{
	const struct worker_setup *setup = worker->setup;
	return worker->lanes[0].state != NULL &&
	       (setup->alone ? listener_retract(setup->listener) : atomic_load(&setup->scoreboard->drain));
}

/* Ends what is in progress. Takes further connections only from a queue that no other process serves. */
static void
finish(struct worker *worker)
{
	bool more = must_drain(worker);
	atomic_store(&worker->slot->has_room, false);
	do {
		while (more && find_free(worker) != NULL)
			more = serve_next(worker);
		if (worker->busy > 0 || slow_answers_exist(worker->slow))
			wait_for_events(worker);
	} while (more || worker->busy > 0 || slow_answers_exist(worker->slow));
}

static void
run(struct worker *worker)
{
	while (goes_on(worker)) {
		if (worker->reload_requested && worker->busy == 0)
			reload(worker);
		if (!watch_connections(worker)) {
			log_error("worker_failed", LOG_ERRNO(errno));
			worker->status = EX_OSERR;
			worker->stopping = true;
		}
		wait_for_events(worker);
	}
}

int
worker_run(const struct worker_setup *setup)
{
	struct worker worker = {
		.setup = setup,
		.application = setup->application,
		.slot = &setup->scoreboard->slots[setup->slot],
		.loop = event_loop_new(),
		.lane_count =
		    setup->alone ? 1 : setup->options->lanes, /* the web server starts as many processes as it needs */
		.listening = listener_descriptor(setup->listener),
		.signals = -1,
		.status = EX_OK,
	};
	worker.lanes = memory_alloc(worker.lane_count * sizeof(*worker.lanes));
	worker.slow = slow_answers_new(worker.loop, SLOW_ANSWERS_MAX * worker.lane_count, setup->options->receive_timeout_ms);
	metrics_process_begin(METRIC_PROCESS_WORKER);
	scoreboard_busy(worker.slot); /* a start can hang like a request */
	if (start(&worker)) {
		scoreboard_ready(worker.slot);
		notify_ready(setup->notifier, "Serving");
		log_debug("worker_started", LOG_UINT("quota", worker.quota));
		run(&worker);
		notify_stopping(setup->notifier);
		worker.stopping = true;
		(void)!watch_connections(&worker);
		finish(&worker);
		log_debug("worker_stopping", LOG_UINT("served", worker.served));
	}
	stop_application(&worker);
	for (size_t i = 0; i < worker.lane_count; i++) {
		exchange_free(&worker.lanes[i].exchange);
		fiber_free(&worker.lanes[i].fiber);
	}
	slow_answers_free(&worker.slow);
	free(worker.lanes);
	descriptor_close(worker.signals);
	event_loop_free(&worker.loop);
	metrics_process_end();
	return worker.status;
}
