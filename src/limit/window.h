/* SPDX-License-Identifier: MIT
 * A limit: a maximum of requests in each of its windows of time (docs/api.md 5). A sliding window in memory is a ring of
 * counters, one for each sixtieth of it and one for the sixtieth that has just begun.
 *
 * The ring counts the requests of the window, and of less than a sixtieth before it. So no window of that length ever has more
 * requests than the limit, and no caller is refused for more than a sixtieth of the window too long (docs/api.md 5).
 *
 * A ring of zeros is an empty window. A process that is killed within a function leaves a ring that others can use: at worst
 * its call counts. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/slice.h"

enum {
	LIMIT_WINDOWS_MAX = 4,
	LIMIT_MAX = 1000000,
	LIMIT_FACTOR_MAX = 16,       /* a network may have this many times the limit of an address */
	LIMIT_WINDOW_STEP_MS = 3000, /* windows are multiples of it, so that a sixtieth of one is whole milliseconds */
	LIMIT_WINDOW_MAX_MS = DAY_MS
};

struct limit_window {
	uint32_t limit; /* from 1 to LIMIT_MAX; for a network, LIMIT_FACTOR_MAX times that */
	int64_t ms;     /* a multiple of LIMIT_WINDOW_STEP_MS, up to LIMIT_WINDOW_MAX_MS */
};

/* All of its windows apply. */
struct limit_rule {
	struct limit_window windows[LIMIT_WINDOWS_MAX];
	size_t count; /* 0: there is no limit */
};

/* Parses "10/60s 20/3m", separated by commas or white space; an empty text is a rule without windows. Returns false, with the
 * item in *bad, if an item is invalid or there are too many. */
MUST_CHECK bool limit_rule_parse(struct slice text, struct limit_rule *rule, struct slice *bad);
/* One of `hosts` (1 or more) equal shares of a limit, rounded up: callers that are spread evenly over the hosts get all of it.
 * A limit of 0 means no limit, and stays 0. */
uint32_t limit_share(uint32_t limit, uint32_t hosts);
/* Replaces the limits of all windows with their shares. */
void limit_rule_share(struct limit_rule *rule, uint32_t hosts);

enum { WINDOW_PARTS = 60, WINDOW_COUNTERS = WINDOW_PARTS + 1 };

/* The layout of a ring. */
struct ring_shape {
	unsigned width; /* bytes of a counter: 1, 2 or 4 */
	int64_t part_ms;
};

struct ring {
	const struct ring_shape *shape;
	unsigned char *counters; /* aligned to the width; ring_bytes() of them */
	uint32_t *newest;        /* the last part that was used, counted from the clock's zero */
};

/* Returns the layout with counters up to the window's limit. */
struct ring_shape ring_shape_of(const struct limit_window *window);
/* The size of the counters, a multiple of four. */
size_t ring_bytes(const struct ring_shape *shape);

/* Returns the count of the window that ends now. Drops older counts. */
uint32_t ring_count(const struct ring *ring, int64_t now_ms);
/* Returns how long it takes until the count is below `limit` (> 0); 0 if it already is. Drops older counts. */
int64_t ring_wait_ms(const struct ring *ring, uint32_t limit, int64_t now_ms);
/* Counts one more now. Must directly follow one of the functions above. */
void ring_add(const struct ring *ring);
