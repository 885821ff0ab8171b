/* SPDX-License-Identifier: MIT */
#include "fcgi/parent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/pool.h"
#include "fcgi/scoreboard.h"
#include "fcgi/signals.h"
#include "fcgi/worker.h"

enum {
	CALM_MS = 1000,       /* between two looks at the scoreboard */
	BUSY_MS = 50,         /* the same while workers come or go */
	FAST_DEATH_MS = 1000, /* a worker that lived shorter died of its start */
	FAST_DEATHS_FREE = 3, /* so many in a row are replaced at once */
	PAUSE_FIRST_MS = 100, /* then after this, doubled each time, */
	PAUSE_DOUBLINGS = 6,
	PAUSE_LAST_MS = 5000, /* up to this */
	END_MARGIN_MS = 2000  /* beyond the request timeout, for a worker that was told to end */
};

enum child_state {
	CHILD_NONE,
	CHILD_RUNNING,
	CHILD_ENDING, /* was told to finish what it is at */
	CHILD_KILLED, /* not waited for yet */
};

struct child {
	enum child_state state;
	pid_t pid;
	unsigned generation; /* of the configuration it was forked with */
	int64_t started, end_by;
};

struct parent {
	const struct fcgi_options *options;
	const struct fcgi_application *application;
	struct listener *listener;
	struct scoreboard *scoreboard;
	pid_t pid;
	struct child *children; /* scoreboard->count of them: room for two generations */
	size_t workers;         /* wanted of the current generation */
	unsigned generation;
	unsigned fast_deaths; /* in a row */
	int64_t fork_after;   /* no replacement before this time */
	bool reloading;       /* the current generation is starting, the one before it still serves */
	bool stopping;
};

static NO_RETURN void
run_child(const struct parent *parent, size_t slot)
{
	const struct worker_setup setup = {
		.options = parent->options,
		.application = parent->application,
		.listener = parent->listener,
		.scoreboard = parent->scoreboard,
		.slot = slot,
	};
	/* Without a parent nobody would replace or stop it. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent->pid)
		_exit(EX_OSERR);
	_exit(worker_run(&setup)); /* what main() registered with atexit(3) is the parent's */
}

static void
child_start(struct parent *parent, size_t slot, int64_t now)
{
	struct child *child = &parent->children[slot];
	atomic_store(&parent->scoreboard->slots[slot].ready, false);
	atomic_store(&parent->scoreboard->slots[slot].busy_since, 0);
	pid_t pid = fork();
	if (pid == 0)
		run_child(parent, slot);
	if (pid < 0) {
		log_error("fork_failed", LOG_ERRNO(errno));
		parent->fork_after = now + PAUSE_LAST_MS;
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

static void
child_kill(struct child *child)
{
	child->state = CHILD_KILLED;
	kill(child->pid, SIGKILL);
}

/* Deaths in quick succession have a cause that is still there: forking at full speed would only add load and log lines. */
static void
note_death(struct parent *parent, bool fast, int64_t now)
{
	parent->fast_deaths = fast ? parent->fast_deaths + 1 : 0;
	if (parent->fast_deaths <= FAST_DEATHS_FREE)
		return;
	unsigned doublings = parent->fast_deaths - FAST_DEATHS_FREE - 1;
	int64_t pause = doublings < PAUSE_DOUBLINGS ? (int64_t)PAUSE_FIRST_MS << doublings : PAUSE_LAST_MS;
	if (parent->fork_after <= now)
		log_warning("replacement_paused", LOG_INT("ms", pause), LOG_UINT("deaths", parent->fast_deaths));
	parent->fork_after = now + pause;
}

static void
child_gone(struct parent *parent, struct child *child, int status, int64_t now)
{
	int64_t lived = now - child->started;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EX_OK) {
		log_debug("worker_ended", LOG_INT("pid", child->pid), LOG_INT("lived_ms", lived));
	} else {
		log_warning("worker_died", LOG_INT("pid", child->pid), LOG_INT("lived_ms", lived),
		    LOG_INT("signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0),
		    LOG_INT("status", WIFEXITED(status) ? WEXITSTATUS(status) : 0));
		if (child->state == CHILD_RUNNING)
			note_death(parent, lived < FAST_DEATH_MS, now);
	}
	*child = (struct child){ .state = CHILD_NONE };
}

static void
reap(struct parent *parent)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < parent->scoreboard->count; i++)
			if (parent->children[i].pid == pid)
				child_gone(parent, &parent->children[i], status, clock_monotonic_ms());
}

/* Ends the running workers that are (or are not) of the current generation. */
static void
end_generation(struct parent *parent, bool current)
{
	for (size_t i = 0; i < parent->scoreboard->count; i++) {
		struct child *child = &parent->children[i];
		if (child->state == CHILD_RUNNING && (child->generation == parent->generation) == current)
			child_end(parent, child, clock_monotonic_ms());
	}
}

static void
stop(struct parent *parent)
{
	if (parent->stopping) /* mod_fcgid says it twice */
		return;
	parent->stopping = true;
	log_info("stopping", LOG_STR("listen", listener_name(parent->listener)));
	atomic_store(&parent->scoreboard->drain, listener_retract(parent->listener));
	end_generation(parent, true);
	end_generation(parent, false);
}

static void
reload(struct parent *parent)
{
	const struct fcgi_application *application = parent->application;
	if (parent->stopping)
		return;
	if (application->prepare != NULL && !application->prepare(application->context)) {
		log_error("reload_failed", LOG_STR("consequence", "the configuration before it stays"));
		return;
	}
	if (parent->reloading) /* the generation between never served: the one before it still does */
		end_generation(parent, true);
	parent->generation++;
	parent->reloading = true;
	parent->fast_deaths = 0;
	parent->fork_after = 0;
	log_info("reloading", LOG_UINT("generation", parent->generation));
}

/* Workers of the current generation; those that can take requests, or all. */
static size_t
count_current(const struct parent *parent, bool ready_only)
{
	size_t count = 0;
	for (size_t i = 0; i < parent->scoreboard->count; i++) {
		const struct child *child = &parent->children[i];
		if (child->state == CHILD_RUNNING && child->generation == parent->generation)
			count += !ready_only || atomic_load(&parent->scoreboard->slots[i].ready);
	}
	return count;
}

static void
complete_reload(struct parent *parent)
{
	if (!parent->reloading || count_current(parent, true) < parent->workers)
		return;
	parent->reloading = false;
	end_generation(parent, false);
	log_info("reloaded", LOG_UINT("generation", parent->generation));
}

/* Kills whoever is at one request, or at its end, for too long. */
static void
kill_overdue(struct parent *parent, int64_t now)
{
	for (size_t i = 0; i < parent->scoreboard->count; i++) {
		struct child *child = &parent->children[i];
		if (child->state != CHILD_RUNNING && child->state != CHILD_ENDING)
			continue;
		int64_t since = atomic_load(&parent->scoreboard->slots[i].busy_since);
		if (since > 0 && now - since > parent->options->request_timeout_ms) {
			log_error("worker_stuck", LOG_INT("pid", child->pid), LOG_INT("ms", now - since));
			child_kill(child);
		} else if (child->state == CHILD_ENDING && now > child->end_by) {
			log_error("worker_does_not_end", LOG_INT("pid", child->pid));
			child_kill(child);
		}
	}
}

static void
fork_missing(struct parent *parent, int64_t now)
{
	size_t missing = parent->workers - count_current(parent, false);
	for (size_t i = 0; i < parent->scoreboard->count && missing > 0 && now >= parent->fork_after; i++)
		if (parent->children[i].state == CHILD_NONE) {
			child_start(parent, i, now);
			missing--;
		}
}

static size_t
count_ending(const struct parent *parent)
{
	size_t count = 0;
	for (size_t i = 0; i < parent->scoreboard->count; i++)
		count += parent->children[i].state == CHILD_ENDING || parent->children[i].state == CHILD_KILLED;
	return count;
}

static void
wait_for_signal(struct parent *parent, const sigset_t *set)
{
	bool calm = !parent->reloading && count_ending(parent) == 0 && count_current(parent, false) == parent->workers;
	int64_t ms = calm ? CALM_MS : BUSY_MS;
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	int number = sigtimedwait(set, NULL, &time);
	if (number == SIGCHLD)
		reap(parent);
	else if (number == SIGHUP)
		reload(parent);
	else if (number > 0 && signal_means_stop(number))
		stop(parent);
}

int
parent_run(
    const struct fcgi_options *options, const struct fcgi_application *application, struct listener *listener, size_t workers)
{
	struct parent parent = {
		.options = options,
		.application = application,
		.listener = listener,
		.scoreboard = scoreboard_new(2 * workers),
		.pid = getpid(),
		.workers = workers,
	};
	sigset_t set;
	if (parent.scoreboard == NULL) {
		log_error("scoreboard_failed", LOG_ERRNO(errno));
		return EX_OSERR;
	}
	parent.children = memory_alloc(parent.scoreboard->count * sizeof(*parent.children));
	signals_fill(&set);
	while (!parent.stopping || count_ending(&parent) > 0) {
		int64_t now = clock_monotonic_ms();
		kill_overdue(&parent, now);
		complete_reload(&parent);
		if (!parent.stopping)
			fork_missing(&parent, now);
		wait_for_signal(&parent, &set);
	}
	free(parent.children);
	return EX_OK;
}
