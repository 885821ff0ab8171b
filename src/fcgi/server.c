/* SPDX-License-Identifier: MIT */
#include "fcgi/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "fcgi/listener.h"
#include "fcgi/scoreboard.h"
#include "fcgi/signals.h"
#include "fcgi/worker.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/notify.h"

enum {
	CALM_MS = 1000,       /* interval of checks of the scoreboard */
	BUSY_MS = 50,         /* interval while workers start or end */
	FAST_DEATH_MS = 1000, /* a worker that ended sooner failed during its start */
	FAST_DEATHS_FREE = 3, /* this many in a row are replaced at once */
	PAUSE_FIRST_MS = 100, /* further ones after this delay, doubled each time */
	PAUSE_DOUBLINGS = 6,
	PAUSE_LAST_MS = 5000, /* the delay is never longer */
	SILENCE_MS = 5000,    /* how long after its idle time a child without a request may be silent */
	END_MARGIN_MS = 2000, /* how long after the request timeout a stopped worker may take to end */
	COMPANION_SLOTS = 4   /* current, next, and ending ones */
};

enum child_state {
	CHILD_NONE,
	CHILD_RUNNING,
	CHILD_ENDING, /* has been asked to end after its current work */
	CHILD_KILLED, /* not reaped yet */
};

struct child {
	enum child_state state;
	pid_t pid;
	unsigned generation; /* of the configuration with which it was forked */
	int64_t started, end_by;
};

struct parent;

/* Children with the same task: their slots in the scoreboard, and the number wanted of the current generation. */
struct crew {
	const char *name, *ended, *died, *stuck, *does_not_end; /* for logs */
	enum metric_process kind;
	int (*run)(const struct parent *parent, size_t slot);
	size_t first, slots, wanted;
	unsigned fast_deaths; /* consecutive */
	int64_t fork_after;   /* no replacement before this time */
};

enum crew_name { WORKERS, COMPANION, CREWS };

struct parent {
	const struct fcgi_options *options;
	const struct fcgi_application *application;
	struct listener *listener;
	struct notifier *notifier;
	struct scoreboard *scoreboard;
	pid_t pid;
	struct child *children; /* scoreboard->count of them */
	struct crew crews[CREWS];
	unsigned generation;
	int64_t looked, resumed; /* time of the last check of the scoreboard; of the first one after a long gap */
	bool starting;           /* the first generation is not complete yet */
	bool reloading;          /* the current generation is starting, the previous one still serves */
	bool stopping;
};

static int
run_worker(const struct parent *parent, size_t slot)
{
	const struct worker_setup setup = {
		.options = parent->options,
		.application = parent->application,
		.listener = parent->listener,
		.scoreboard = parent->scoreboard,
		.slot = slot,
	};
	return worker_run(&setup);
}

static int
run_companion(const struct parent *parent, size_t slot)
{
	struct scoreboard_slot *own = &parent->scoreboard->slots[slot];
	close(listener_descriptor(parent->listener)); /* if the parent is killed, the socket must not appear to be served */
	metrics_process_begin(METRIC_PROCESS_COMMITTER);
	scoreboard_busy(own); /* a start can hang too */
	const int status = parent->application->companion_run(parent->application->context, own);
	metrics_process_end();
	return status;
}

static NO_RETURN void
run_child(const struct parent *parent, const struct crew *crew, size_t slot)
{
	/* Without a parent it would be neither replaced nor stopped. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent->pid)
		_exit(EX_OSERR);
	_exit(crew->run(parent, slot)); /* the atexit(3) handlers of main() belong to the parent */
}

static void
child_start(struct parent *parent, struct crew *crew, size_t slot, int64_t now)
{
	struct child *child = &parent->children[slot];
	atomic_store(&parent->scoreboard->slots[slot].ready, false);
	scoreboard_idle(&parent->scoreboard->slots[slot]);
	pid_t pid = fork();
	if (pid == 0)
		run_child(parent, crew, slot);
	if (pid < 0) {
		log_error("fork_failed", LOG_ERRNO(errno));
		crew->fork_after = now + PAUSE_LAST_MS;
		return;
	}
	*child = (struct child){ .state = CHILD_RUNNING, .pid = pid, .generation = parent->generation, .started = now };
}

static void
child_end(const struct parent *parent, struct child *child, int64_t now)
{
	child->state = CHILD_ENDING;
	child->end_by = now + parent->options->request_timeout_ms + END_MARGIN_MS;
	kill(child->pid, SIGTERM);
}

/* A child that has been asked to end is not replaced. */
static void
count_restart(const struct crew *crew, const struct child *child)
{
	if (child->state == CHILD_RUNNING)
		metrics_add(METRIC_RESTARTS, crew->kind, 1);
}

static void
child_kill(const struct crew *crew, struct child *child)
{
	count_restart(crew, child);
	child->state = CHILD_KILLED;
	kill(child->pid, SIGKILL);
}

/* Fast repeated deaths have a persistent cause: forking at full speed would only add load and log lines. */
static void
record_death(struct crew *crew, int64_t lived_ms, int64_t now)
{
	crew->fast_deaths = lived_ms < FAST_DEATH_MS ? crew->fast_deaths + 1 : 0;
	if (crew->fast_deaths <= FAST_DEATHS_FREE)
		return;
	unsigned doublings = crew->fast_deaths - FAST_DEATHS_FREE - 1;
	int64_t pause = doublings < PAUSE_DOUBLINGS ? (int64_t)PAUSE_FIRST_MS << doublings : PAUSE_LAST_MS;
	if (crew->fork_after <= now)
		log_warning("replacement_paused", LOG_STR("of", crew->name), LOG_INT("ms", pause),
		    LOG_UINT("deaths", crew->fast_deaths));
	crew->fork_after = now + pause;
}

static void
child_gone(struct crew *crew, struct child *child, int status, int64_t now)
{
	int64_t lived = now - child->started;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EX_OK) {
		log_debug(crew->ended, LOG_INT("pid", child->pid), LOG_INT("lived_ms", lived));
	} else {
		log_warning(crew->died, LOG_INT("pid", child->pid), LOG_INT("lived_ms", lived),
		    LOG_INT("signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0),
		    LOG_INT("status", WIFEXITED(status) ? WEXITSTATUS(status) : 0));
		count_restart(crew, child);
		metrics_process_died(child->pid);
		if (child->state == CHILD_RUNNING)
			record_death(crew, lived, now);
	}
	*child = (struct child){ .state = CHILD_NONE };
}

static struct crew *
crew_of(struct parent *parent, size_t slot)
{
	return &parent->crews[slot < parent->crews[COMPANION].first ? WORKERS : COMPANION];
}

static void
reap(struct parent *parent)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < parent->scoreboard->count; i++)
			if (parent->children[i].pid == pid) {
				atomic_store(&parent->scoreboard->slots[i].has_room, false);
				child_gone(crew_of(parent, i), &parent->children[i], status, clock_monotonic_ms());
			}
}

/* Which children of a crew. Current and ready ones are running and belong to the current generation, previous ones are running
 * and belong to another. */
enum which { ANY, RUNNING, CURRENT, PREVIOUS, READY, ENDING };

static bool
is_among(const struct parent *parent, size_t slot, enum which which)
{
	const struct child *child = &parent->children[slot];
	const bool runs = child->state == CHILD_RUNNING, is_current = runs && child->generation == parent->generation;
	switch (which) {
	case ANY:
		return child->state != CHILD_NONE;
	case RUNNING:
		return runs;
	case CURRENT:
		return is_current;
	case PREVIOUS:
		return runs && !is_current;
	case READY:
		return is_current && atomic_load(&parent->scoreboard->slots[slot].ready);
	case ENDING:
		return child->state == CHILD_ENDING || child->state == CHILD_KILLED;
	}
	return false;
}

static size_t
count_children(const struct parent *parent, const struct crew *crew, enum which which)
{
	size_t count = 0;
	for (size_t i = crew->first; i < crew->first + crew->slots; i++)
		count += is_among(parent, i, which);
	return count;
}

static void
end_children(struct parent *parent, const struct crew *crew, enum which which)
{
	for (size_t i = crew->first; i < crew->first + crew->slots; i++)
		if (is_among(parent, i, which))
			child_end(parent, &parent->children[i], clock_monotonic_ms());
}

static void
stop(struct parent *parent)
{
	if (parent->stopping) /* mod_fcgid sends it twice */
		return;
	parent->stopping = true;
	parent->starting = parent->reloading = false;
	notify_stopping(parent->notifier);
	log_info("stopping", LOG_STR("listen", listener_name(parent->listener)));
	atomic_store(&parent->scoreboard->drain, listener_retract(parent->listener));
	parent->crews[WORKERS].wanted = 0;
	end_children(parent, &parent->crews[WORKERS], RUNNING);
}

static void
reload(struct parent *parent)
{
	const struct fcgi_application *application = parent->application;
	if (parent->stopping)
		return;
	notify_reloading(parent->notifier);
	if (!application->prepare(application->context)) {
		log_error("reload_failed", LOG_STR("consequence", "the previous configuration stays"));
		if (!parent->starting && !parent->reloading)
			notify_ready(parent->notifier, "Serving; the last reload failed, see the log");
		return;
	}
	application->adopt(application->context);
	for (size_t i = 0; i < CREWS; i++) {
		if (parent->reloading) /* the unfinished generation never served: the previous one still does */
			end_children(parent, &parent->crews[i], CURRENT);
		parent->crews[i].fast_deaths = 0;
		parent->crews[i].fork_after = 0;
	}
	parent->generation++;
	parent->reloading = true;
	log_info("reloading", LOG_UINT("generation", parent->generation));
}

/* Whether each crew has as many of these children as wanted. */
static bool
is_complete(const struct parent *parent, enum which which)
{
	for (size_t i = 0; i < CREWS; i++)
		if (count_children(parent, &parent->crews[i], which) < parent->crews[i].wanted)
			return false;
	return true;
}

/* Completes a start or a reload. */
static void
complete_generation(struct parent *parent)
{
	const bool reloads = parent->reloading;
	if ((!parent->starting && !reloads) || !is_complete(parent, READY))
		return;
	parent->starting = parent->reloading = false;
	notify_ready(parent->notifier, "Serving");
	if (!reloads)
		return;
	for (size_t i = 0; i < CREWS; i++)
		end_children(parent, &parent->crews[i], PREVIOUS);
	log_info("reloaded", LOG_UINT("generation", parent->generation));
}

/* Whether a child has spent too long on one request, or has stopped its heartbeat. */
static bool
is_stuck(const struct parent *parent, size_t slot, int64_t now, int64_t *ms)
{
	const struct scoreboard_slot *seen = &parent->scoreboard->slots[slot];
	const bool busy = atomic_load(&seen->busy);
	const int64_t beat = atomic_load(&seen->beat);
	*ms = now - (beat > parent->resumed ? beat : parent->resumed);
	return *ms > (busy ? parent->options->request_timeout_ms : parent->options->idle_ms + SILENCE_MS);
}

/* If this process was suspended, the children were too: their time starts again. */
static void
record_check(struct parent *parent, int64_t now)
{
	if (now - parent->looked > 2 * CALM_MS)
		parent->resumed = now;
	parent->looked = now;
}

/* Kills children that hang or do not end. */
static void
kill_overdue(struct parent *parent, int64_t now)
{
	int64_t ms;
	record_check(parent, now);
	for (size_t i = 0; i < parent->scoreboard->count; i++) {
		struct child *child = &parent->children[i];
		if (child->state != CHILD_RUNNING && child->state != CHILD_ENDING)
			continue;
		if (is_stuck(parent, i, now, &ms)) {
			log_error(crew_of(parent, i)->stuck, LOG_INT("pid", child->pid), LOG_INT("ms", ms));
			child_kill(crew_of(parent, i), child);
		} else if (child->state == CHILD_ENDING && now > child->end_by) {
			log_error(crew_of(parent, i)->does_not_end, LOG_INT("pid", child->pid));
			child_kill(crew_of(parent, i), child);
		}
	}
}

static void
start_missing(struct parent *parent, struct crew *crew, int64_t now)
{
	size_t running = count_children(parent, crew, CURRENT);
	for (size_t i = crew->first; i < crew->first + crew->slots && running < crew->wanted && now >= crew->fork_after; i++)
		if (parent->children[i].state == CHILD_NONE) {
			child_start(parent, crew, i, now);
			running++;
		}
}

/* Workers need the companion for their last requests. */
static void
complete_stop(struct parent *parent)
{
	if (!parent->stopping || count_children(parent, &parent->crews[WORKERS], ANY) > 0)
		return;
	parent->crews[COMPANION].wanted = 0;
	end_children(parent, &parent->crews[COMPANION], RUNNING);
}

static bool
has_any(const struct parent *parent, enum which which)
{
	size_t count = 0;
	for (size_t i = 0; i < CREWS; i++)
		count += count_children(parent, &parent->crews[i], which);
	return count > 0;
}

static bool
is_calm(const struct parent *parent)
{
	return !parent->starting && !parent->reloading && !has_any(parent, ENDING) && is_complete(parent, CURRENT);
}

static void
reopen_logs(const struct parent *parent)
{
	log_reopen();
	for (size_t i = 0; i < parent->scoreboard->count; i++)
		if (parent->children[i].state != CHILD_NONE)
			kill(parent->children[i].pid, SIGUSR2);
}

static void
wait_for_signal(struct parent *parent, const sigset_t *set)
{
	int64_t ms = is_calm(parent) ? CALM_MS : BUSY_MS;
	const int64_t alive_ms = notify_when(parent->notifier) - clock_monotonic_ms();
	ms = alive_ms < ms ? (alive_ms > 0 ? alive_ms : 0) : ms;
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	int number = sigtimedwait(set, NULL, &time);
	if (number == SIGCHLD)
		reap(parent);
	else if (number == SIGHUP)
		reload(parent);
	else if (number == SIGUSR2)
		reopen_logs(parent);
	else if (number > 0 && signal_means_stop(number))
		stop(parent);
}

static void
supervise(struct parent *parent)
{
	int64_t now = clock_monotonic_ms();
	notify_alive(parent->notifier);
	kill_overdue(parent, now);
	complete_generation(parent);
	complete_stop(parent);
	for (size_t i = 0; i < CREWS; i++)
		start_missing(parent, &parent->crews[i], now);
}

/* Runs `workers` (> 0) workers until it is stopped. Signals must be blocked (fcgi/signals.h) and the application prepared.
 * Reports to the notifier: it is ready when all children are, and alive while it supervises them. Returns an exit status. */
static int
run_parent(const struct fcgi_options *options, const struct fcgi_application *application, struct listener *listener,
    size_t workers, struct notifier *notifier)
{
	bool companion = application->companion_prepare != NULL;
	struct parent parent = {
		.options = options,
		.application = application,
		.listener = listener,
		.notifier = notifier,
		.scoreboard = scoreboard_new(2 * workers + COMPANION_SLOTS), /* room for two generations */
		.pid = getpid(),
		.starting = true,
		.crews = {
			[WORKERS] = { "workers", "worker_ended", "worker_died", "worker_stuck", "worker_does_not_end",
			    METRIC_PROCESS_WORKER, run_worker, .first = 0, .slots = 2 * workers, .wanted = workers },
			[COMPANION] = { "companion", "companion_ended", "companion_died", "companion_stuck",
			    "companion_does_not_end", METRIC_PROCESS_COMMITTER, run_companion, .first = 2 * workers,
			    .slots = COMPANION_SLOTS, .wanted = companion ? 1 : 0 },
		},
	};
	sigset_t set;
	if (parent.scoreboard == NULL)
		return EX_OSERR;
	if (companion && !application->companion_prepare(application->context))
		return EX_OSERR;
	parent.children = memory_alloc(parent.scoreboard->count * sizeof(*parent.children));
	signals_fill(&set);
	do {
		supervise(&parent);
		wait_for_signal(&parent, &set);
	} while (!parent.stopping || has_any(&parent, ANY));
	free(parent.children);
	return EX_OK;
}

/* ---- start ---- */

static size_t
count_workers(const struct fcgi_options *options, const struct listener *listener)
{
	int workers = options->workers;
	if (workers >= 0)
		return workers < FCGI_WORKERS_MAX ? (size_t)workers : FCGI_WORKERS_MAX;
	if (workers == FCGI_WORKERS_UNSET && listener_descriptor(listener) == STDIN_FILENO)
		return 0;
	return options->workers_auto;
}

static int
serve_alone(const struct fcgi_options *options, const struct fcgi_application *application, struct listener *listener,
    struct notifier *notifier)
{
	const struct worker_setup setup = {
		.options = options,
		.application = application,
		.listener = listener,
		.scoreboard = scoreboard_new(1),
		.notifier = notifier,
		.alone = true,
	};
	return setup.scoreboard == NULL ? EX_OSERR : worker_run(&setup);
}

int
fcgi_serve(const struct fcgi_options *options, const struct fcgi_application *application)
{
	int status;
	signals_block();
	struct listener *listener = listener_open(options, &status);
	if (listener == NULL)
		return status;
	struct notifier *notifier = notifier_new();
	size_t workers = count_workers(options, listener);
	log_info("serving", LOG_STR("listen", listener_name(listener)), LOG_UINT("workers", workers));
	status = workers == 0 ? serve_alone(options, application, listener, notifier)
			      : run_parent(options, application, listener, workers, notifier);
	log_info("stopped", LOG_INT("status", status));
	notifier_free(&notifier);
	listener_close(&listener);
	return status;
}
