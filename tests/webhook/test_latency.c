/* SPDX-License-Identifier: MIT
 * Percentiles of the durations of attempts (docs/statistics.md 3). */
#include "unit.h"

#include "webhook/latency.h"

/* The upper bound of a bucket belongs to it. */
static void
each_duration_has_a_bucket(void **state UNUSED)
{
	static const struct {
		int64_t ms;
		size_t bucket;
	} cases[] = { { -1, 0 }, { 0, 0 }, { 25, 0 }, { 26, 1 }, { 50, 1 }, { 100, 2 }, { 250, 3 }, { 251, 4 }, { 1000, 5 },
		{ 2500, 6 }, { 5000, 7 }, { 10000, 8 }, { 10001, 9 }, { INT64_MAX, 9 } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(latency_bucket(cases[i].ms), cases[i].bucket);
}

/* Attempts are assumed to be evenly spread within a bucket. */
static void
a_percentile_is_a_place_in_its_bucket(void **state UNUSED)
{
	const uint64_t none[LATENCY_BUCKETS] = { 0 };
	const uint64_t quick[LATENCY_BUCKETS] = { 100 };
	const uint64_t mixed[LATENCY_BUCKETS] = { 50, 0, 0, 40, 0, 0, 0, 0, 0, 10 };
	assert_int_equal(latency_percentile(none, 50), -1);
	assert_int_equal(latency_percentile(quick, 50), 13);
	assert_int_equal(latency_percentile(quick, 95), 24);
	assert_int_equal(latency_percentile(mixed, 50), 25);
	assert_int_equal(latency_percentile(mixed, 70), 175);
	assert_int_equal(latency_percentile(mixed, 90), 250);
	/* the last bucket has no upper bound */
	assert_int_equal(latency_percentile(mixed, 95), 10000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_duration_has_a_bucket),
		cmocka_unit_test(a_percentile_is_a_place_in_its_bucket),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
