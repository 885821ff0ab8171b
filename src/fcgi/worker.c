/* SPDX-License-Identifier: MIT */
#include "fcgi/worker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <unistd.h>

#include "fcgi/deadline.h"
#include "fcgi/exchange.h"
#include "fcgi/signals.h"
#include "fcgi/slow_answers.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/notify.h"
#include "os/random.h"

struct worker {
	const struct worker_setup *setup;
	const struct fcgi_application *application;
	struct scoreboard_slot *slot;
	void *state; /* the application's */
	struct fcgi_exchange *exchange;
	struct slow_answers *slow;
	int listening, signals, epoll;
	uint64_t served, quota; /* quota 0: no limit */
	bool stopping, reload_requested;
	int status; /* exit status */
};

static void
serve(struct worker *worker, int connection)
{
	const struct fcgi_application *application = worker->application;
	const int64_t begun_ms = scoreboard_busy(worker->slot);
	bool answered = false;
	worker->served++;
	if (exchange_open(worker->exchange, connection)) {
		exchange_read_body(worker->exchange, application->body_limit(worker->state, worker->exchange));
		application->handle(worker->state, worker->exchange);
		answered = exchange_close(worker->exchange);
		if (!answered)
			log_error("request_unanswered", LOG_UINT("served", worker->served));
		application->answered(worker->state);
	} else {
		log_debug("connection_dropped", LOG_UINT("served", worker->served));
	}
	const int64_t ended_ms = scoreboard_idle(worker->slot);
	if (answered)
		metrics_observe(METRIC_REQUEST_TIME, ended_ms - begun_ms);
}

/* Returns false when no connection is waiting: another worker may have taken it. */
static bool
serve_next(struct worker *worker)
{
	int connection = accept4(worker->listening, NULL, NULL, SOCK_CLOEXEC);
	if (connection >= 0) {
		serve(worker, connection);
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

static void
read_signals(struct worker *worker)
{
	struct signalfd_siginfo info;
	while (read(worker->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (signal_means_stop((int)info.ssi_signo))
			worker->stopping = true;
		else if (info.ssi_signo == SIGUSR2)
			log_reopen();
		else if (info.ssi_signo == SIGHUP && worker->setup->alone) /* otherwise the parent handles it */
			worker->reload_requested = true;
	}
}

static bool
start_application(struct worker *worker)
{
	worker->state = worker->application->worker_start(worker->application->context);
	if (worker->state == NULL)
		worker->status = EX_UNAVAILABLE;
	return worker->state != NULL;
}

static void
stop_application(struct worker *worker)
{
	if (worker->state != NULL)
		worker->application->worker_stop(worker->state);
	worker->state = NULL;
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

static int64_t
wait_ms(const struct worker *worker)
{
	const int64_t alive_ms = notify_when(worker->setup->notifier), expire_ms = slow_answers_expire(worker->slow);
	const int64_t left_ms = (alive_ms < expire_ms ? alive_ms : expire_ms) - clock_monotonic_ms();
	const int64_t idle_ms = worker->setup->options->idle_ms;
	return left_ms < idle_ms ? (left_ms > 0 ? left_ms : 0) : idle_ms;
}

/* Waits for a connection, a signal, a slow answer, or the idle time. Returns the number of events. *connects: a connection
 * waits. */
static int
wait_for_events(struct worker *worker, bool *connects)
{
	struct epoll_event events[2 + SLOW_ANSWERS_MAX];
	*connects = false;
	scoreboard_idle(worker->slot);
	notify_alive(worker->setup->notifier);
	const int count = epoll_wait(worker->epoll, events, ARRAY_SIZE(events), (int)wait_ms(worker));
	for (int i = 0; i < count; i++) {
		if (events[i].data.fd == worker->signals)
			read_signals(worker);
		else if (events[i].data.fd == worker->listening)
			*connects = true;
		else
			slow_answers_continue(worker->slow, events[i].data.fd);
	}
	return count;
}

static void
wait_and_serve(struct worker *worker)
{
	bool connects;
	const int count = wait_for_events(worker, &connects);
	if (worker->reload_requested)
		reload(worker);
	/* A connection wakes only one worker, so even a worker that was just stopped serves it. That worker may have died, so
	 * all workers check after an idle time too. */
	bool served = (connects || count == 0) && worker->state != NULL && serve_next(worker);
	if (count == 0 && !served)
		worker->application->idle(worker->state);
}

/* Sends what is left of slow answers, without taking further connections. */
static void
finish_slow_answers(struct worker *worker)
{
	bool connects;
	epoll_ctl(worker->epoll, EPOLL_CTL_DEL, worker->listening, NULL);
	while (slow_answers_expire(worker->slow) != CLOCK_NEVER)
		wait_for_events(worker, &connects);
}

static bool
watch(int epoll, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool
open_descriptors(struct worker *worker)
{
	sigset_t set;
	signals_fill(&set);
	worker->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	worker->epoll = epoll_create1(EPOLL_CLOEXEC);
	/* Exclusive: a connection wakes one worker, not all. */
	if (worker->signals >= 0 && worker->epoll >= 0 && watch(worker->epoll, worker->signals, EPOLLIN) &&
	    watch(worker->epoll, worker->listening, EPOLLIN | EPOLLEXCLUSIVE))
		return true;
	log_error("worker_failed", LOG_ERRNO(errno));
	worker->status = EX_OSERR;
	return false;
}

/* A worker that wakes up does not preempt running processes: there are many workers, and few processes do the work that they
 * wait for. */
static void
use_batch_scheduling(void)
{
	const struct sched_param none = { .sched_priority = 0 };
	if (sched_setscheduler(0, SCHED_BATCH, &none) != 0)
		log_debug("no_batch_scheduling", LOG_ERRNO(errno));
}

static bool
start(struct worker *worker)
{
	uint64_t most = worker->setup->options->max_requests;
	worker->quota =
	    most == 0 ? 0 : most + random_below(most / 10 + 1); /* so that workers do not all end at the same time */
	if (!open_descriptors(worker))
		return false;
	worker->slow = slow_answers_new(worker->epoll, worker->setup->options->receive_timeout_ms);
	worker->exchange = exchange_new(worker->setup->options, worker->slow);
	if (worker->exchange == NULL) {
		worker->status = EX_OSERR;
		return false;
	}
	signal(SIGPIPE, SIG_IGN); /* again, after exchange_new */
	deadline_install();
	if (!worker->setup->alone)
		use_batch_scheduling();
	return start_application(worker);
}

/* Whether queued connections would be refused if this process ended now. */
static bool
must_drain(const struct worker *worker)
{
	const struct worker_setup *setup = worker->setup;
	return worker->state != NULL &&
	       (setup->alone ? listener_retract(setup->listener) : atomic_load(&setup->scoreboard->drain));
}

int
worker_run(const struct worker_setup *setup)
{
	struct worker worker = {
		.setup = setup,
		.application = setup->application,
		.slot = &setup->scoreboard->slots[setup->slot],
		.listening = listener_descriptor(setup->listener),
		.signals = -1,
		.epoll = -1,
		.status = EX_OK,
	};
	metrics_process_begin(METRIC_PROCESS_WORKER);
	scoreboard_busy(worker.slot); /* a start can hang like a request */
	if (start(&worker)) {
		scoreboard_ready(worker.slot);
		notify_ready(setup->notifier, "Serving");
		log_debug("worker_started", LOG_UINT("quota", worker.quota));
		while (!worker.stopping && (worker.quota == 0 || worker.served < worker.quota))
			wait_and_serve(&worker);
		notify_stopping(setup->notifier);
		bool drain = must_drain(&worker);
		while (drain && serve_next(&worker))
			continue;
		finish_slow_answers(&worker);
		log_debug("worker_stopping", LOG_UINT("served", worker.served));
	}
	stop_application(&worker);
	exchange_free(&worker.exchange);
	slow_answers_free(&worker.slow);
	descriptor_close(worker.signals);
	descriptor_close(worker.epoll);
	metrics_process_end();
	return worker.status;
}
