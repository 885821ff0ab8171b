/* SPDX-License-Identifier: MIT */
#include "base/panic.h"

#include <stdio.h>
#include <stdlib.h>

static void
print(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

static panic_reporter *report = print;

void
panic_report_to(panic_reporter *reporter)
{
	report = reporter;
}

void
panic_at(const char *file, int line, const char *what)
{
	report(file, line, what);
	abort();
}
