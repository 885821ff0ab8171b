/* SPDX-License-Identifier: MIT */
#include "fcgi/deadline.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/attributes.h"

static volatile sig_atomic_t watched = -1;

/* Interrupting the read would not be enough, because the signal may arrive just before it. A shutdown is permanent. */
static void
on_alarm(int number UNUSED)
{
	int saved = errno;
	if (watched >= 0)
		shutdown(watched, SHUT_RD);
	errno = saved;
}

void
deadline_install(void)
{
	const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	sigset_t alarm;
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}

static void
set_timer(int64_t ms)
{
	const struct itimerval timer = { .it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 } };
	setitimer(ITIMER_REAL, &timer, NULL);
}

void
deadline_start(int connection, int64_t ms)
{
	deadline_stop();
	watched = connection;
	set_timer(ms);
}

void
deadline_stop(void)
{
	if (watched < 0)
		return;
	set_timer(0);
	watched = -1;
}
