/* SPDX-License-Identifier: MIT
 * The health of a webhook (docs/deliveries.md 3, breaker and disabling, and 4, concurrency). */
#include "unit.h"

#include "base/attributes.h"
#include "webhook/health.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };
#define DAY (INT64_C(24) * HOUR)

/* The default rules. */
static const struct health_rules rules = { .concurrency_start = 4,
	.concurrency_max = 32,
	.breaker_failures = 5,
	.probe_wait_ms = 10 * SECOND,
	.probe_wait_max_ms = HOUR,
	.disable_after_ms = 5 * DAY };

static struct health
fresh(void)
{
	return health_begin(&rules, 0, 0, -1);
}

static enum health_change
attempt(struct health *health, bool success, int64_t now_ms)
{
	health_start(&rules, health);
	return success ? health_succeed(&rules, health) : health_fail(&rules, health, now_ms);
}

/* docs/deliveries.md 4: the concurrency starts at 4, grows by one per success up to 32, and is halved by a failure. */
static void
the_concurrency_grows_and_is_halved(void **state UNUSED)
{
	struct health health = fresh();
	assert_int_equal(health_allows(&rules, &health, 0, 0), 4);
	assert_int_equal(health_allows(&rules, &health, 3, 0), 1);
	assert_int_equal(health_allows(&rules, &health, 9, 0), 0);
	for (size_t successes = 1; successes <= 40; successes++) {
		assert_int_equal(attempt(&health, true, 0), HEALTH_UNCHANGED);
		assert_int_equal(health_allows(&rules, &health, 0, 0), successes < 28 ? 4 + successes : 32);
	}
	static const size_t halves[] = { 16, 8, 4, 2 };
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
		assert_int_equal(attempt(&health, false, 0), HEALTH_UNCHANGED);
		assert_int_equal(health_allows(&rules, &health, 0, 0), halves[i]);
	}
	assert_int_equal(attempt(&health, true, 0), HEALTH_UNCHANGED);
	assert_int_equal(health_allows(&rules, &health, 0, 0), 3);
}

/* docs/deliveries.md 3, breaker: after 5 consecutive failures, one probe at a time, 10 s apart, doubling to 1 h. */
static void
the_breaker_waits_longer_each_time(void **state UNUSED)
{
	static const int64_t waits_s[] = { 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600 };
	struct health health = fresh();
	int64_t now = 1000;
	for (int i = 0; i < 4; i++)
		assert_int_equal(attempt(&health, false, now), HEALTH_UNCHANGED);
	assert_false(health_is_open(&rules, &health));
	assert_int_equal(attempt(&health, false, now), HEALTH_OPENED);
	for (size_t i = 0; i < ARRAY_SIZE(waits_s); i++) {
		assert_true(health_is_open(&rules, &health));
		assert_int_equal(health_allows(&rules, &health, 0, now + waits_s[i] * SECOND - 1), 0);
		now += waits_s[i] * SECOND;
		assert_int_equal(health_allows(&rules, &health, 0, now), 1);
		assert_int_equal(health_allows(&rules, &health, 1, now), 0);
		assert_int_equal(attempt(&health, false, now), HEALTH_UNCHANGED);
	}
}

/* A success resets the count. */
static void
only_failures_in_a_row_open_it(void **state UNUSED)
{
	struct health health = fresh();
	for (int i = 0; i < 100; i++)
		assert_int_equal(attempt(&health, i % 5 == 4, 0), HEALTH_UNCHANGED);
}

/* An attempt that was under way when the breaker opened is not a probe: it neither lengthens the wait nor allows a second
 * probe. */
static void
late_failures_do_not_count_as_probes(void **state UNUSED)
{
	struct health health = fresh();
	for (int i = 0; i < 32; i++)
		health_start(&rules, &health);
	for (int i = 0; i < 4; i++)
		assert_int_equal(health_fail(&rules, &health, 0), HEALTH_UNCHANGED);
	assert_int_equal(health_fail(&rules, &health, 0), HEALTH_OPENED);
	for (size_t left = 27; left > 0; left--) {
		assert_int_equal(health_allows(&rules, &health, left, 20 * SECOND), 0);
		assert_int_equal(health_fail(&rules, &health, 5 * SECOND), HEALTH_UNCHANGED);
	}
	assert_int_equal(health_allows(&rules, &health, 0, 10 * SECOND - 1), 0);
	assert_int_equal(health_allows(&rules, &health, 0, 10 * SECOND), 1);
}

/* docs/deliveries.md 3, breaker: the first success releases the rest slowly: concurrency 1, 2, 4 … to the limit. */
static void
a_success_releases_slowly(void **state UNUSED)
{
	static const size_t rounds[] = { 1, 2, 4, 8, 16, 32, 32 };
	struct health health = health_begin(&rules, 9, 4, 0);
	assert_int_equal(health_allows(&rules, &health, 0, 0), 1);
	assert_int_equal(attempt(&health, true, 0), HEALTH_CLOSED);
	assert_true(health.failures == 0 && health.probes == 0 && health.failing_since_ms == -1);
	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++) {
		size_t allowed = health_allows(&rules, &health, 0, 0);
		assert_int_equal(allowed, rounds[i]);
		for (; allowed > 0; allowed--)
			assert_int_equal(attempt(&health, true, 0), HEALTH_UNCHANGED);
	}
}

/* The success of an attempt that was under way when the breaker opened also closes it. */
static void
a_late_success_closes_it(void **state UNUSED)
{
	struct health health = fresh();
	for (int i = 0; i < 6; i++)
		health_start(&rules, &health);
	for (int i = 0; i < 5; i++)
		assert_int_equal(health_fail(&rules, &health, 0), i < 4 ? HEALTH_UNCHANGED : HEALTH_OPENED);
	assert_int_equal(health_succeed(&rules, &health), HEALTH_CLOSED);
	assert_int_equal(health_allows(&rules, &health, 0, SECOND), 1);
}

/* docs/deliveries.md 3, disabling: every attempt failed for 5 days, no matter how many there were. */
static void
failures_for_five_days_disable(void **state UNUSED)
{
	struct health health = fresh();
	assert_int_equal(attempt(&health, false, DAY), HEALTH_UNCHANGED);
	assert_int_equal(attempt(&health, false, 6 * DAY - 1), HEALTH_UNCHANGED);
	assert_int_equal(attempt(&health, false, 6 * DAY), HEALTH_DISABLED);
	health = fresh();
	for (int64_t hour = 0; hour < 6 * 24; hour++)
		assert_int_not_equal(attempt(&health, hour % 48 == 0, hour * HOUR), HEALTH_DISABLED);
	health = health_begin(&rules, 70, 20, DAY);
	assert_int_equal(attempt(&health, true, 7 * DAY), HEALTH_CLOSED);
	assert_int_equal(attempt(&health, false, 8 * DAY), HEALTH_UNCHANGED);
	health = health_begin(&rules, 1, 0, DAY);
	assert_int_equal(attempt(&health, false, 7 * DAY), HEALTH_DISABLED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_concurrency_grows_and_is_halved),
		cmocka_unit_test(the_breaker_waits_longer_each_time),
		cmocka_unit_test(only_failures_in_a_row_open_it),
		cmocka_unit_test(late_failures_do_not_count_as_probes),
		cmocka_unit_test(a_success_releases_slowly),
		cmocka_unit_test(a_late_success_closes_it),
		cmocka_unit_test(failures_for_five_days_disable),
	};
	return cmocka_run_group_tests_name("webhook/health", tests, NULL, NULL);
}
