/* SPDX-License-Identifier: MIT
 * Times as texts in the form of RFC 3339. */
#include "unit.h"

#include "os/clock.h"

static void
times_follow_rfc3339(void **state UNUSED)
{
	int64_t ms = 0;
	char text[CLOCK_RFC3339_SIZE];
	assert_true(clock_parse_rfc3339(SLICE("2026-11-21"), &ms));
	assert_int_equal(ms, 1795219200000);
	assert_true(clock_parse_rfc3339(SLICE("2026-11-21T03:38:13.5Z"), &ms));
	assert_int_equal(ms, 1795232293500);
	clock_rfc3339(ms, text);
	assert_string_equal(text, "2026-11-21T03:38:13Z");
	assert_true(clock_parse_rfc3339(SLICE("2026-11-21T05:08:13+01:30"), &ms));
	assert_int_equal(ms, 1795232293000);
	assert_true(clock_parse_rfc3339(SLICE("2024-02-29"), &ms));
	assert_true(clock_parse_rfc3339(SLICE("9999-12-31T23:59:59.999Z"), &ms));
	assert_int_equal(ms, CLOCK_END_MS - 1);
	assert_true(clock_parse_rfc3339(SLICE("1969-12-31t22:59:60.0019-01:00"), &ms));
	assert_int_equal(ms, 1);
	assert_true(clock_parse_rfc3339(SLICE("1970-01-01 00:00:00z"), &ms));
	assert_int_equal(ms, 0);
	static const char *const bad[] = { "", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31", "2026-04-00",
		"2026-4-01", " 2026-04-01", "+2026-04-01", "2026/04/01", "2026-11-21T", "2026-11-21T25:00:00Z",
		"2026-11-21T00:60:00Z", "2026-11-21T00:00:61Z", "2026-11-21T3:38:13Z", "2026-11-21T03:38:13",
		"2026-11-21T03:38Z", "2026-11-21T03:38:13Zx", "1969-12-31", "2026-11-21T03:38:13.Z",
		"2026-11-21T03:38:13+24:00", "2026-11-21T03:38:13+00:60", "2026-11-21T03:38:13+0100", "10000-01-01",
		"9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(clock_parse_rfc3339(slice_of(bad[i]), &ms));
}

static void
times_are_formatted_by_the_calendar(void **state UNUSED)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00Z" },
		{ 951782400999, "2000-02-29T00:00:00Z" },
		{ 4107542400000, "2100-03-01T00:00:00Z" },
		{ CLOCK_END_MS - 1, "9999-12-31T23:59:59Z" },
		{ -1, "1970-01-01T00:00:00Z" },
		{ INT64_MIN, "1970-01-01T00:00:00Z" },
		{ CLOCK_END_MS, "1970-01-01T00:00:00Z" },
		{ INT64_MAX, "1970-01-01T00:00:00Z" },
	};
	char text[CLOCK_RFC3339_SIZE];
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		clock_rfc3339(cases[i].ms, text);
		assert_string_equal(text, cases[i].text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_follow_rfc3339),
		cmocka_unit_test(times_are_formatted_by_the_calendar),
	};
	return cmocka_run_group_tests_name("os/clock", tests, NULL, NULL);
}
