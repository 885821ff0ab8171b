/* SPDX-License-Identifier: MIT
 * The rate limit of a webhook (docs/deliveries.md 4, rate). */
#include "unit.h"

#include "base/attributes.h"
#include "webhook/rate.h"

/* At each of these times, starts all deliveries that may start. Returns how many have started. */
static size_t
start_all(struct rate *rate, int64_t from_ms, int64_t to_ms, int64_t step_ms, size_t *most_at_once)
{
	size_t started = 0;
	*most_at_once = 0;
	for (int64_t now_ms = from_ms; now_ms < to_ms; now_ms += step_ms) {
		const size_t allowed = rate_allows(rate, now_ms);
		for (size_t i = 0; i < allowed; i++) {
			assert_int_equal(rate_allows(rate, now_ms), allowed - i);
			rate_start(rate, now_ms);
		}
		assert_int_equal(rate_allows(rate, now_ms), 0);
		started += allowed;
		*most_at_once = allowed > *most_at_once ? allowed : *most_at_once;
	}
	return started;
}

static void
without_a_limit_any_number_may_start(void **state UNUSED)
{
	struct rate rate = { 0 };
	for (size_t i = 0; i < 1000; i++) {
		assert_true(rate_allows(&rate, 5) == SIZE_MAX);
		rate_start(&rate, 5);
	}
}

static void
a_low_rate_is_evenly_spaced(void **state UNUSED)
{
	static const unsigned rates[] = { 1, 2, 3, 7, 10 };
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct rate rate = { .per_second = rates[i] };
		size_t most;
		assert_in_range(start_all(&rate, 1000, 61000, 1, &most), 60 * rates[i] - 1, 60 * rates[i] + 1);
		assert_int_equal(most, 1);
	}
}

static void
a_high_rate_comes_in_tenths_of_a_second(void **state UNUSED)
{
	static const unsigned rates[] = { 20, 99, 1000, 100000 };
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct rate rate = { .per_second = rates[i] };
		size_t most;
		assert_in_range(start_all(&rate, 1000, 11000, 100, &most), 9 * rates[i], 10 * rates[i] + rates[i] / 10);
		assert_in_range(most, rates[i] / 10, rates[i] / 10);
	}
}

/* rate_next_ms is the first time at which a delivery may start: none may start a millisecond before. */
static void
the_next_start_is_known(void **state UNUSED)
{
	static const unsigned rates[] = { 1, 3, 7, 25, 1000 };
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct rate rate = { .per_second = rates[i] };
		int64_t now_ms = 1000;
		for (size_t n = 0; n < 50; n++) {
			while (rate_allows(&rate, now_ms) > 0)
				rate_start(&rate, now_ms);
			const int64_t next_ms = rate_next_ms(&rate);
			assert_in_range(next_ms, now_ms + 1, now_ms + 1000);
			assert_int_equal(rate_allows(&rate, next_ms - 1), 0);
			assert_true(rate_allows(&rate, next_ms) > 0);
			now_ms = next_ms;
		}
	}
}

/* After an hour without deliveries, no more of them may start than at the beginning. */
static void
what_was_not_used_is_lost(void **state UNUSED)
{
	struct rate rate = { .per_second = 50 };
	size_t most;
	(void)start_all(&rate, 0, 1000, 1, &most);
	assert_int_equal(rate_allows(&rate, 3600 * 1000), 5);
	assert_in_range(start_all(&rate, 3600 * 1000, 3601 * 1000, 1, &most), 50, 55);
}

/* Counting continues when the operator changes the rate limit. */
static void
a_changed_rate_holds_from_then_on(void **state UNUSED)
{
	struct rate rate = { .per_second = 1 };
	size_t most;
	assert_int_equal(start_all(&rate, 0, 5000, 1, &most), 5);
	rate.per_second = 100;
	assert_in_range(start_all(&rate, 5000, 6000, 1, &most), 95, 110);
	rate.per_second = 0;
	assert_true(rate_allows(&rate, 6000) == SIZE_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_any_number_may_start),
		cmocka_unit_test(a_low_rate_is_evenly_spaced),
		cmocka_unit_test(a_high_rate_comes_in_tenths_of_a_second),
		cmocka_unit_test(the_next_start_is_known),
		cmocka_unit_test(what_was_not_used_is_lost),
		cmocka_unit_test(a_changed_rate_holds_from_then_on),
	};
	return cmocka_run_group_tests_name("webhook/rate", tests, NULL, NULL);
}
