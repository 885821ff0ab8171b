/* SPDX-License-Identifier: MIT
 * A sliding window in memory: a ring of counters, one for each sixtieth of it and one for the sixtieth that has just begun.
 *
 * The ring counts the requests of the window, and of less than a sixtieth before it. So no window of that length ever has more
 * requests than the limit, and no caller is refused more than a sixtieth too long (docs/api.md 5).
 *
 * A ring of zeros is an empty window. A process that is killed within a function leaves a ring that others can use: at worst
 * its call counts. */
#pragma once

#include <stdint.h>

#include "limit/rule.h"

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
/* Returns how long until the count is below `limit` (> 0); 0: it is now. Drops older counts. */
int64_t ring_wait_ms(const struct ring *ring, uint32_t limit, int64_t now_ms);
/* Counts one more now. Must directly follow one of the functions above. */
void ring_add(const struct ring *ring);
