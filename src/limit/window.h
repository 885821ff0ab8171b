/* SPDX-License-Identifier: MIT
 * A sliding window in memory: a ring of counters, one for each sixtieth of it and one for the sixtieth that has just begun.
 *
 * What is in the ring is all that passed in the window, and for less than a sixtieth of it longer: so no window of that length,
 * wherever it begins, ever holds more than the limit, and nobody is refused more than a sixtieth too long (docs/api.md 5).
 *
 * A ring of zeros is a window in which nothing was. Whoever is killed in the middle of a function here leaves a ring that the
 * next one goes on with: at worst the call that died counts. */
#ifndef LEADHOOK_LIMIT_WINDOW_H
#define LEADHOOK_LIMIT_WINDOW_H

#include <stdint.h>

#include "limit/rule.h"

enum { WINDOW_PARTS = 60, WINDOW_COUNTERS = WINDOW_PARTS + 1 };

/* How a ring lies in memory. */
struct ring_shape {
	unsigned width; /* bytes of a counter: 1, 2 or 4 */
	int64_t part_ms;
};

struct ring {
	const struct ring_shape *shape;
	unsigned char *counters; /* aligned to the width; ring_bytes() of them */
	uint32_t *newest;        /* the sixtieth that was looked at last, counted from the clock's beginning */
};

/* For counters up to the window's limit. */
struct ring_shape ring_shape_of(const struct limit_window *window);
/* A multiple of four. */
size_t ring_bytes(const struct ring_shape *shape);

/* How many there were in the window that ends now. Forgets what is older. */
uint32_t ring_count(const struct ring *ring, int64_t now_ms);
/* How long until fewer than `limit` (> 0) are in it; 0: there are. Forgets what is older. */
int64_t ring_wait_ms(const struct ring *ring, uint32_t limit, int64_t now_ms);
/* One more, now; right after one of those two. */
void ring_add(const struct ring *ring);

#endif
