/* SPDX-License-Identifier: MIT
 * Retry times of deliveries (docs/deliveries.md 3). */
#include "unit.h"

#include "webhook/retry.h"

#define S INT64_C(1000)
#define M (60 * S)
#define H (60 * M)

static const int64_t promised_delays[] = { 5 * S, M, 5 * M, 30 * M, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H };

/* The schedule of docs/deliveries.md. */
static struct retry_schedule
default_schedule(void)
{
	struct retry_schedule schedule;
	struct slice bad;
	assert_true(retry_schedule_parse(SLICE("5s 1m 5m 30m 2h 5h 10h 14h 20h 24h"), &schedule, &bad));
	return schedule;
}

static void
the_default_schedule_is_read(void **state UNUSED)
{
	struct retry_schedule schedule = default_schedule();
	assert_int_equal(schedule.count, ARRAY_SIZE(promised_delays));
	for (size_t i = 0; i < ARRAY_SIZE(promised_delays); i++)
		assert_int_equal(schedule.delays_ms[i], promised_delays[i]);
}

static void
schedules_are_lists_of_times(void **state UNUSED)
{
	struct retry_schedule schedule;
	struct slice bad;
	assert_true(retry_schedule_parse(SLICE(" 1s,2m\n3h 7d "), &schedule, &bad));
	assert_int_equal(schedule.count, 4);
	assert_int_equal(schedule.delays_ms[1], 2 * M);
	assert_int_equal(schedule.delays_ms[3], 7 * 24 * H);
	static const char *const wrong[] = { "5", "s", "0s", "-1s", "1.5s", "5 s", "05s", "5S", "5ms", "8d", "169h",
		"999999999999s" };
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (retry_schedule_parse(slice_of(wrong[i]), &schedule, &bad))
			fail_msg("taken: %s", wrong[i]);
	assert_int_equal(schedule.count, 4);
	assert_true(retry_schedule_parse(SLICE("1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s "
					       "1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s"),
	    &schedule, &bad));
	assert_int_equal(schedule.count, RETRY_DELAYS_MAX);
	assert_false(retry_schedule_parse(SLICE("1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s "
						"1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 1s 2s"),
	    &schedule, &bad));
	assert_slice(bad, "2s");
	assert_true(retry_schedule_parse(SLICE(""), &schedule, &bad));
	assert_int_equal(schedule.count, 0);
}

static struct retry_decision
decide(bool answered, int status, int64_t retry_after_ms, unsigned attempts_made, uint64_t random)
{
	const struct retry_schedule schedule = default_schedule();
	const struct retry_answer outcome = { answered, status, retry_after_ms, SLICE_NONE };
	return retry_decide(&schedule, &outcome, attempts_made, random);
}

/* "each ±20 %": never more, and both limits are reached */
static void
each_delay_is_within_a_fifth(void **state UNUSED)
{
	for (unsigned i = 0; i < ARRAY_SIZE(promised_delays); i++) {
		const int64_t fifth = promised_delays[i] / 5;
		assert_int_equal(decide(true, 500, -1, i + 1, 0).delay_ms, promised_delays[i] - fifth);
		assert_int_equal(decide(true, 500, -1, i + 1, (uint64_t)(2 * fifth)).delay_ms, promised_delays[i] + fifth);
		for (uint64_t random = 1; random != 0; random <<= 1) {
			const struct retry_decision decision = decide(false, 0, -1, i + 1, random - 1);
			assert_int_equal(decision.kind, RETRY_LATER);
			assert_in_range(decision.delay_ms, promised_delays[i] - fifth, promised_delays[i] + fifth);
			assert_int_equal(decision.hold_ms, 0);
		}
	}
}

static void
eleven_attempts_are_made(void **state UNUSED)
{
	assert_int_equal(decide(true, 500, -1, 10, 0).kind, RETRY_LATER);
	assert_int_equal(decide(true, 500, -1, 11, 0).kind, RETRY_EXHAUSTED);
	assert_int_equal(decide(true, 500, 5000, 11, 0).kind, RETRY_EXHAUSTED);
	assert_int_equal(decide(false, 0, -1, 4000000000u, 0).kind, RETRY_EXHAUSTED);
	/* the webhook is held although this delivery has ended */
	assert_int_equal(decide(true, 503, 5000, 11, 0).hold_ms, 5000);
}

/* 2xx with a complete response is a success, everything else is retried, after a 410 once the webhook is enabled. */
static void
statuses_have_three_meanings(void **state UNUSED)
{
	for (int status = 200; status < 300; status++)
		assert_int_equal(decide(true, status, -1, 1, 0).kind, RETRY_DELIVERED);
	static const int failures[] = { 0, 100, 199, 300, 301, 302, 307, 400, 401, 404, 408, 409, 411, 422, 429, 500, 502, 503,
		504, 599 };
	for (size_t i = 0; i < ARRAY_SIZE(failures); i++)
		assert_int_equal(decide(true, failures[i], -1, 1, 0).kind, RETRY_LATER);
	assert_true(decide(true, 410, -1, 1, 0).gone && decide(true, 410, -1, 1, 0).kind == RETRY_LATER);
	assert_true(decide(true, 410, -1, 11, 0).gone && decide(true, 410, -1, 11, 0).kind == RETRY_EXHAUSTED);
	assert_false(decide(true, 404, -1, 1, 0).gone || decide(false, 410, -1, 1, 0).gone);
	/* the status line was read, then the connection broke or timed out */
	assert_int_equal(decide(false, 200, -1, 1, 0).kind, RETRY_LATER);
}

/* docs/deliveries.md 3.3: statuses in `accepts` are also successes if the answer was complete */
static void
redirects_can_be_taken(void **state UNUSED)
{
	const struct retry_schedule schedule = default_schedule();
	static const struct {
		const char *accepts;
		int status;
		bool answered, taken;
	} cases[] = {
		{ "302,303", 302, true, true },
		{ "302,303", 303, true, true },
		{ "303", 303, true, true },
		{ "303", 302, true, false },
		{ "302,303", 302, false, false },
		{ "302,303", 301, true, false },
		{ "302,303", 307, true, false },
		{ "302,303", 200, true, true },
		{ "302,303", 30, true, false },
		{ "302,303", 500, true, false },
		{ NULL, 302, true, false },
		{ NULL, 204, true, true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct retry_answer answer = { cases[i].answered, cases[i].status, -1, slice_of(cases[i].accepts) };
		assert_int_equal(retry_decide(&schedule, &answer, 1, 0).kind, cases[i].taken ? RETRY_DELIVERED : RETRY_LATER);
	}
}

/* "(any failure) a minimum for that delivery, with 429 and 503 for the whole webhook; capped at 24 h" */
static void
retry_after_is_a_minimum(void **state UNUSED)
{
	assert_int_equal(decide(true, 500, 10 * M, 1, 0).delay_ms, 10 * M);
	assert_int_equal(decide(true, 404, 10 * M, 1, 0).delay_ms, 10 * M);
	assert_int_equal(decide(true, 302, 10 * M, 1, 0).hold_ms, 0);
	assert_int_equal(decide(true, 500, 1, 1, 0).delay_ms, 4 * S);
	assert_int_equal(decide(true, 429, 10 * M, 1, 0).hold_ms, 10 * M);
	assert_int_equal(decide(true, 503, 10 * M, 1, 0).hold_ms, 10 * M);
	assert_int_equal(decide(true, 503, 10 * M, 1, 0).delay_ms, 10 * M);
	assert_int_equal(decide(true, 503, 1000 * H, 1, 0).delay_ms, 24 * H);
	assert_int_equal(decide(true, 503, INT64_MAX, 1, 0).hold_ms, 24 * H);
	assert_int_equal(decide(true, 429, -1, 1, 0).hold_ms, 0);
	assert_int_equal(decide(true, 429, 0, 1, 0).hold_ms, 0);
	assert_int_equal(decide(true, 200, 10 * M, 1, 0).hold_ms, 0);
}

/* RFC 9110 10.2.3 and 5.6.7; its example date is 784111777 s. */
static void
retry_after_headers_are_read(void **state UNUSED)
{
	const int64_t date = INT64_C(784111777) * S;
	static const struct {
		const char *header;
		int64_t before, wait;
	} cases[] = {
		{ "0", 0, 0 },
		{ "120", 0, 120 * S },
		{ "2.0", 0, 2 * S },
		{ "0.529", 0, 1 * S },
		{ "2.5.1", 0, -1 },
		{ "2.", 0, -1 },
		{ ".5", 0, -1 },
		{ "2.x", 0, -1 },
		{ " 120 ", 0, 120 * S },
		{ "0120", 0, 120 * S },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", 90 * S, 90 * S },
		{ "Sunday, 06-Nov-94 08:49:37 GMT", 90 * S, 90 * S },
		{ "Sun Nov  6 08:49:37 1994", 90 * S, 90 * S },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", 0, 0 },
		{ "Sun, 06 Nov 1994 08:49:37 GMT", -5 * S, 0 },
		{ "", 0, -1 },
		{ "soon", 0, -1 },
		{ "-1", 0, -1 },
		{ "1.5", 0, 2 * S },
		{ "1e3", 0, -1 },
		{ "120 s", 0, -1 },
		{ "120, 130", 0, -1 },
		{ "Sun, 06 Nov 1994 08:49:37 GMTx", 0, -1 },
		{ "Sun, 06 Nov 1994 08:49:37 CET", 0, -1 },
		{ "Sun, 06 Nov 1994", 0, -1 },
		{ "Sun, 31 Feb 1994 08:49:37 GMT", 0, -1 },
		{ "Sun, 06 Nov 1994 25:49:37 GMT", 0, -1 },
		{ "1994-11-06T08:49:37Z", 0, -1 },
		{ "Sun, 06 Nov 1994 08:49:37 GMT and a tail that is longer than any date is", 0, -1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (retry_after_parse(slice_of(cases[i].header), date - cases[i].before) != cases[i].wait)
			fail_msg("\"%s\" is not %lld", cases[i].header, (long long)cases[i].wait);
	assert_int_equal(retry_after_parse(SLICE_NONE, 0), -1);
	assert_int_equal(retry_after_parse(SLICE("12\0"), 0), -1);
	assert_true(retry_after_parse(SLICE("99999999999999999999999999"), 0) > RETRY_AFTER_MAX_MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_schedule_is_read),
		cmocka_unit_test(schedules_are_lists_of_times),
		cmocka_unit_test(each_delay_is_within_a_fifth),
		cmocka_unit_test(eleven_attempts_are_made),
		cmocka_unit_test(statuses_have_three_meanings),
		cmocka_unit_test(redirects_can_be_taken),
		cmocka_unit_test(retry_after_is_a_minimum),
		cmocka_unit_test(retry_after_headers_are_read),
	};
	return cmocka_run_group_tests_name("webhook/retry", tests, NULL, NULL);
}
