/* SPDX-License-Identifier: MIT */
#include "prog/reopening.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/attributes.h"
#include "base/log.h"

static const int ends[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE };

static struct {
	const _Atomic(pid_t) *groups;
	size_t count;
} others;

static sigset_t
signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	return set;
}

void
reopening_block(void)
{
	const sigset_t set = signals();
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void *
wait_for_signals(void *unused)
{
	const sigset_t set = signals();
	for (int number = 0; sigwait(&set, &number) == 0;) {
		log_reopen();
		for (size_t i = 0; i < others.count; i++) {
			const pid_t group = atomic_load(&others.groups[i]); /* once: kill(0) would be our own group */
			if (group > 0)
				kill(-group, SIGUSR2);
		}
	}
	return unused;
}

void
reopening_start(const _Atomic(pid_t) *groups, size_t count)
{
	pthread_t thread;
	pthread_attr_t attributes;
	sigset_t blocked, before;
	others.groups = groups;
	others.count = count;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* a signal to end is for the threads that watch it */
	sigemptyset(&blocked);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&blocked, ends[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	const int number = pthread_create(&thread, &attributes, wait_for_signals, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (number != 0)
		log_warning("no_reopening", LOG_ERRNO(number));
	pthread_attr_destroy(&attributes);
}
