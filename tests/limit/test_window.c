/* SPDX-License-Identifier: MIT
 * Sliding windows compared with an exact model that stores all times (docs/api.md 5: never more than the limit in a window,
 * no caller refused more than a sixtieth of it too long). */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit/window.h"

enum { MINUTE = 60000, TIMES = 4096 };

static struct ring_shape shape;
static uint32_t newest;
static union {
	unsigned char counters[WINDOW_COUNTERS * 4];
	uint32_t aligned;
} memory;
static const struct ring ring = { &shape, memory.counters, &newest };

static void
start(uint32_t limit, int64_t ms)
{
	shape = ring_shape_of(&(struct limit_window){ limit, ms });
	assert_in_range(ring_bytes(&shape), WINDOW_COUNTERS * shape.width, sizeof(memory));
	memset(&memory, 0, sizeof(memory));
	newest = 0;
}

static bool
pass(uint32_t limit, int64_t now_ms)
{
	if (ring_count(&ring, now_ms) >= limit)
		return false;
	ring_add(&ring);
	return true;
}

static void
edges_of_a_window(void **state)
{
	(void)state;
	start(10, MINUTE);
	for (size_t i = 0; i < 10; i++)
		assert_true(pass(10, 1000000 + (int64_t)i));
	assert_false(pass(10, 1000010));
	assert_int_equal(ring_wait_ms(&ring, 10, 1000010), MINUTE + 1000 - 10);
	assert_false(pass(10, 1000000 + MINUTE - 1)); /* the first was less than a minute ago */
	assert_false(pass(10, 1000000 + MINUTE + 999));
	for (size_t i = 0; i < 10; i++)
		assert_true(pass(10, 1000000 + MINUTE + 1000)); /* a sixtieth later */
	assert_false(pass(10, 1000000 + MINUTE + 1000));
}

static void
requests_leave_one_by_one(void **state)
{
	(void)state;
	start(3, MINUTE);
	assert_true(pass(3, 500));
	assert_true(pass(3, 20500));
	assert_true(pass(3, 40500));
	assert_int_equal(ring_wait_ms(&ring, 3, 41000), 61000 - 41000);
	assert_int_equal(ring_wait_ms(&ring, 2, 41000), 81000 - 41000);
	assert_int_equal(ring_wait_ms(&ring, 1, 41000), 101000 - 41000);
	assert_int_equal(ring_wait_ms(&ring, 4, 41000), 0);
	assert_true(pass(3, 61000));
	assert_false(pass(3, 61000));
}

/* A ring with any content does not refuse for ever. */
static void
a_clock_that_goes_back_empties_the_ring(void **state)
{
	(void)state;
	start(1, MINUTE);
	assert_true(pass(1, 500000));
	assert_true(pass(1, 5000));
	assert_false(pass(1, 5000));
}

/* Counters are as wide as the limit requires. */
static void
counters_hold_their_limit(void **state)
{
	(void)state;
	static const uint32_t limits[] = { 1, 255, 256, 65535, 65536, 200000 };
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		uint32_t passed = 0;
		start(limits[i], MINUTE);
		while (passed <= limits[i] && pass(limits[i], 7000))
			passed++;
		assert_int_equal(passed, limits[i]);
	}
}

/* ---- the exact model ---- */

static int64_t times[TIMES];
static size_t passed;

/* Returns how many passed less than `ms` ago. */
static uint32_t
exact_count(int64_t now_ms, int64_t ms)
{
	uint32_t count = 0;
	for (size_t i = passed; i > 0 && now_ms - times[i - 1] < ms; i--)
		count++;
	return count;
}

static void
compare(unsigned seed, uint32_t limit, int64_t ms)
{
	int64_t now = rand_r(&seed) % 100000;
	start(limit, ms);
	passed = 0;
	while (passed < TIMES / 2) {
		/* bursts, pauses, and waits until the edge */
		const int choice = rand_r(&seed) % 10;
		const int64_t wait = ring_wait_ms(&ring, limit, now);
		now += choice < 6               ? rand_r(&seed) % 3
		       : choice < 8             ? rand_r(&seed) % ms
		       : choice < 9 && wait > 0 ? wait - 1
						: wait;
		const int64_t left = ring_wait_ms(&ring, limit, now);
		const bool passes = pass(limit, now);
		assert_int_equal(passes, left == 0);
		if (passes)
			assert_true(exact_count(now, ms) < limit);
		else
			assert_true(exact_count(now, ms + ms / WINDOW_PARTS) >= limit);
		if (passes)
			times[passed++] = now;
	}
}

static void
random_histories(void **state)
{
	(void)state;
	static const struct limit_window windows[] = { { 1, 3000 }, { 10, 60000 }, { 20, 180000 }, { 30, 540000 },
		{ 100, 60000 }, { 300, 540000 }, { 1000, 86400000 } };
	for (unsigned seed = 1; seed <= 20; seed++)
		for (size_t i = 0; i < ARRAY_SIZE(windows); i++)
			compare(seed, windows[i].limit, windows[i].ms);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_of_a_window),
		cmocka_unit_test(requests_leave_one_by_one),
		cmocka_unit_test(a_clock_that_goes_back_empties_the_ring),
		cmocka_unit_test(counters_hold_their_limit),
		cmocka_unit_test(random_histories),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
