/* SPDX-License-Identifier: MIT
 * A line that shows the progress of a long command, updated once a second, if errors go to a terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;
	const char *unit; /* "rows" */
	uint64_t total;   /* maximum of `position`; 0: unknown */
	int64_t began_ms, shown_ms;
	bool shown;
};

/* If `out` is NULL, nothing is shown. */
struct progress progress_begin(FILE *out, const char *unit, uint64_t total);
int64_t progress_took_ms(const struct progress *progress);
/* `done`: the units so far, whose rate is shown. `position`: how much of `total` has been reached, to estimate the remaining
 * time. */
void progress_show(struct progress *progress, uint64_t done, uint64_t position);
/* Ends the line. */
void progress_end(struct progress *progress);
