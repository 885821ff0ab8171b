/* SPDX-License-Identifier: MIT
 * How often a password may be tried (docs/users.md 3). */
#include "unit.h"

#include "base/attributes.h"
#include "identity/login_throttle.h"

static const int64_t start_ms = INT64_C(1800000000000);

/* The wait after each failure. */
static void
waits_double_from_the_fifth_failure_on(void **state UNUSED)
{
	static const int64_t waits_s[] = { 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900 };
	struct login_throttle throttle = { 0 };
	int64_t now_ms = start_ms;
	for (size_t i = 0; i < ARRAY_SIZE(waits_s); i++) {
		assert_int_equal(login_throttle_wait_ms(&throttle, now_ms), 0);
		login_throttle_count(&throttle, now_ms);
		assert_int_equal(login_throttle_wait_ms(&throttle, now_ms), waits_s[i] * 1000);
		if (waits_s[i] > 0)
			assert_int_equal(login_throttle_wait_ms(&throttle, now_ms + waits_s[i] * 1000 - 1), 1);
		now_ms += waits_s[i] * 1000;
	}
}

/* Guessing all the time, as fast as permitted, gives about a hundred guesses a day, for ever. */
static void
ten_thousand_guesses_take_months(void **state UNUSED)
{
	struct login_throttle throttle = { 0 };
	int64_t now_ms = start_ms;
	for (unsigned i = 0; i < 10000; i++) {
		now_ms += login_throttle_wait_ms(&throttle, now_ms);
		login_throttle_count(&throttle, now_ms);
	}
	assert_true(now_ms - start_ms > INT64_C(100) * 24 * 3600 * 1000);
	assert_true(throttle.failures <= LOGIN_FAILURES_MAX);
	assert_int_equal(login_throttle_wait_ms(&throttle, now_ms), LOGIN_WAIT_MAX_MS);
}

static void
old_failures_do_not_count(void **state UNUSED)
{
	struct login_throttle throttle = { 0 };
	for (unsigned i = 0; i < 8; i++)
		login_throttle_count(&throttle, start_ms);
	const int64_t end_ms = throttle.until_ms;
	struct login_throttle later = throttle;
	login_throttle_count(&later, end_ms + LOGIN_FAILURES_MS);
	assert_int_equal(later.failures, 9);
	login_throttle_count(&throttle, end_ms + LOGIN_FAILURES_MS + 1);
	assert_int_equal(throttle.failures, 1);
	assert_int_equal(login_throttle_wait_ms(&throttle, end_ms + LOGIN_FAILURES_MS + 1), 0);
}

/* The right password without the second factor gives no additional tries for the second factor. */
static void
an_attempt_is_taken_back(void **state UNUSED)
{
	struct login_throttle throttle = { 0 };
	int64_t now_ms = start_ms;
	for (unsigned i = 0; i < 10; i++) {
		now_ms += login_throttle_wait_ms(&throttle, now_ms);
		login_throttle_count(&throttle, now_ms);
	}
	now_ms += login_throttle_wait_ms(&throttle, now_ms);
	login_throttle_count(&throttle, now_ms);
	login_throttle_uncount(&throttle, now_ms);
	assert_int_equal(throttle.failures, 10);
	assert_int_equal(login_throttle_wait_ms(&throttle, now_ms), 0);
	login_throttle_count(&throttle, now_ms);
	assert_int_equal(login_throttle_wait_ms(&throttle, now_ms), 64 * 1000);
	struct login_throttle none = { 0 };
	login_throttle_uncount(&none, now_ms);
	assert_int_equal(none.failures, 0);
}

static void
a_clock_that_was_set_back_locks_nothing(void **state UNUSED)
{
	struct login_throttle throttle = { 5, start_ms };
	assert_int_equal(login_throttle_wait_ms(&throttle, 0), LOGIN_WAIT_MAX_MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_double_from_the_fifth_failure_on),
		cmocka_unit_test(ten_thousand_guesses_take_months),
		cmocka_unit_test(old_failures_do_not_count),
		cmocka_unit_test(an_attempt_is_taken_back),
		cmocka_unit_test(a_clock_that_was_set_back_locks_nothing),
	};
	return cmocka_run_group_tests_name("identity/login_throttle", tests, NULL, NULL);
}
