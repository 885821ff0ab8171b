/* SPDX-License-Identifier: MIT */
#include "prog/signal_thread.h"

#include <pthread.h>
#include <signal.h>

#include "base/attributes.h"
#include "os/log.h"

static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE };

static struct signal_tasks work;
static pthread_mutex_t reloading = PTHREAD_MUTEX_INITIALIZER; /* held forever once the thread has ended its work */

static sigset_t
signals_of(const struct signal_tasks *tasks)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	if (tasks->reload != NULL)
		sigaddset(&set, SIGHUP);
	return set;
}

void
signal_thread_block(const struct signal_tasks *tasks)
{
	const sigset_t set = signals_of(tasks);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void
reopen_logs(void)
{
	log_reopen();
	for (size_t i = 0; i < work.group_count; i++) {
		const pid_t group = atomic_load(&work.groups[i]); /* read once: kill(0) would signal our own group */
		if (group > 0)
			kill(-group, SIGUSR2);
	}
}

static void *
wait_for_signals(void *unused)
{
	const sigset_t set = signals_of(&work);
	for (int number = 0; sigwait(&set, &number) == 0;) {
		if (number != SIGHUP) {
			reopen_logs();
			continue;
		}
		pthread_mutex_lock(&reloading);
		work.reload(work.context);
		pthread_mutex_unlock(&reloading);
	}
	return unused;
}

void
signal_thread_start(const struct signal_tasks *tasks)
{
	pthread_t thread;
	pthread_attr_t attributes;
	sigset_t blocked, before;
	work = *tasks;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* signals that end the program are for the threads that watch them */
	sigemptyset(&blocked);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&blocked, ends[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	const int number = pthread_create(&thread, &attributes, wait_for_signals, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (number != 0)
		log_warning("no_signal_thread", LOG_ERRNO(number));
	pthread_attr_destroy(&attributes);
}

void
signal_thread_end(void)
{
	pthread_mutex_lock(&reloading);
}
