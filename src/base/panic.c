/* SPDX-License-Identifier: MIT */
#include "base/panic.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local struct panic_report report;

const struct panic_report *
panic_current(void)
{
	return report.what == NULL ? NULL : &report;
}

static bool
is_handled(int number)
{
	struct sigaction action;
	return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
}

void
panic_at(const char *file, int line, const char *what)
{
	report = (struct panic_report){ file, what, line };
	if (!is_handled(SIGABRT))
		fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}
