/* SPDX-License-Identifier: MIT */
#include "fcgi/signals.h"

#include <stddef.h>

#include "base/attributes.h"

static const struct {
	int number;
	bool stop;
} steering[] = {
	{ SIGTERM, true },
	{ SIGINT, true },
	{ SIGUSR1, true }, /* multiwatch(1) and the FastCGI specification */
	{ SIGUSR2, false },
	{ SIGHUP, false },
	{ SIGCHLD, false },
};

void
signals_fill(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(steering); i++)
		sigaddset(set, steering[i].number);
}

void
signals_block(void)
{
	sigset_t set;
	signals_fill(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(steering); i++)
		signal(steering[i].number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
}

bool
signal_means_stop(int number)
{
	for (size_t i = 0; i < ARRAY_SIZE(steering); i++)
		if (steering[i].number == number)
			return steering[i].stop;
	return false;
}
