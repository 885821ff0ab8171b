/* SPDX-License-Identifier: MIT */
#include "operation/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "os/clock.h"

enum { INTERVAL_MS = 1000 };

struct progress
progress_begin(FILE *out, const char *unit, uint64_t total)
{
	return (struct progress){ .out = out, .unit = unit, .total = total, .began_ms = clock_monotonic_ms() };
}

int64_t
progress_took_ms(const struct progress *progress)
{
	return clock_monotonic_ms() - progress->began_ms;
}

void
progress_show(struct progress *progress, uint64_t done, uint64_t position)
{
	const int64_t now_ms = clock_monotonic_ms(), took_ms = now_ms - progress->began_ms;
	if (progress->out == NULL || now_ms - progress->shown_ms < INTERVAL_MS || took_ms <= 0 ||
	    isatty(fileno(progress->out)) != 1)
		return;
	fprintf(progress->out, "\rleadhook: %" PRIu64 " %s, %" PRIu64 " a second", done, progress->unit,
	    done * 1000 / (uint64_t)took_ms);
	if (position > 0 && progress->total >= position)
		fprintf(progress->out, ", %" PRIu64 " s left  ",
		    (uint64_t)took_ms * (progress->total - position) / position / 1000);
	fflush(progress->out);
	progress->shown_ms = now_ms;
	progress->shown = true;
}

void
progress_end(struct progress *progress)
{
	if (progress->shown)
		fputc('\n', progress->out);
	progress->shown = false;
}
