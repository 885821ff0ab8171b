/* SPDX-License-Identifier: MIT
 * The hidden fields of a form that detect bots: the honeypot and the signed time (docs/api.md 8). */
#include "unit.h"
#include "with_pool.h"

#include "bots/form_traps.h"

#define SECRET SLICE("a secret of the installation")
#define NOW_MS INT64_C(1764075600123)

static void
the_name_of_a_honeypot(void **state UNUSED)
{
	char out[HONEYPOT_NAME_SIZE], again[HONEYPOT_NAME_SIZE], other[HONEYPOT_NAME_SIZE];
	const struct slice name = honeypot_name(out, SECRET, 7);
	assert_slices_equal(honeypot_name(again, SECRET, 7), name);
	assert_false(slice_equal(honeypot_name(other, SECRET, 8), name));
	assert_false(slice_equal(honeypot_name(other, SLICE("another"), 7), name));
	for (uint64_t campaign = 1; campaign < 1000; campaign++)
		assert_true(honeypot_well_formed(honeypot_name(other, SECRET, campaign)));
}

static void
other_names_are_no_honeypots(void **state UNUSED)
{
	static const char *const names[] = { "", "email", "first_name", "phone_numb", "b1c2d3f4g", "b1c2d3f4g5h", "b1c2d3f4gg",
		"a1c2d3f4g5", "B1C2D3F4G5", "1b2c3d4f5g", "_b1c2d3f4g" };
	assert_true(honeypot_well_formed(SLICE("b1c2d3f4g5")));
	assert_false(honeypot_well_formed(SLICE_NONE));
	assert_false(honeypot_well_formed(SLICE("b\0c2d3f4g5")));
	assert_false(honeypot_well_formed(SLICE("\0"
						"1c2d3f4g5")));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_false(honeypot_well_formed(slice_of(names[i])));
}

static enum stamp_verdict
verdict(struct slice stamp, int64_t age_ms)
{
	return stamp_check(pool, stamp, SECRET, 7, NOW_MS + age_ms);
}

static void
the_age_of_a_form(void **state UNUSED)
{
	const struct slice stamp = stamp_make(pool, SECRET, 7, NOW_MS);
	assert_true(slice_starts_with(stamp, SLICE("1764075600123.")));
	assert_int_equal(stamp.size, 13 + 1 + STAMP_MAC_SIZE);
	assert_true(slice_is_alnum(stamp, "-_."));
	assert_int_equal(verdict(stamp, 0), STAMP_TOO_FAST);
	assert_int_equal(verdict(stamp, -5000), STAMP_TOO_FAST);
	assert_int_equal(verdict(stamp, 1999), STAMP_TOO_FAST);
	assert_int_equal(verdict(stamp, 2000), STAMP_FINE);
	assert_int_equal(verdict(stamp, 24 * 60 * 60 * 1000), STAMP_FINE);
	assert_int_equal(verdict(stamp, 24 * 60 * 60 * 1000 + 1), STAMP_OLD);
}

static void
only_our_stamps_count(void **state UNUSED)
{
	const struct slice stamp = stamp_make(pool, SECRET, 7, NOW_MS);
	const struct slice mac = slice_sub(stamp, 13, stamp.size);
	assert_int_equal(verdict(SLICE_NONE, 5000), STAMP_ABSENT);
	assert_int_equal(verdict(SLICE(""), 5000), STAMP_ABSENT);
	assert_int_equal(stamp_check(pool, stamp, SECRET, 8, NOW_MS + 5000), STAMP_INVALID);
	assert_int_equal(stamp_check(pool, stamp, SLICE("another"), 7, NOW_MS + 5000), STAMP_INVALID);
	assert_int_equal(verdict(POOL_JOIN(pool, SLICE("1764075600122"), mac), 5000), STAMP_INVALID);
	assert_int_equal(verdict(POOL_JOIN(pool, SLICE("01764075600123"), mac), 5000), STAMP_INVALID);
	assert_int_equal(verdict(POOL_JOIN(pool, stamp, SLICE("A")), 5000), STAMP_INVALID);
	assert_int_equal(verdict(slice_sub(stamp, 0, 13), 5000), STAMP_INVALID);
	assert_int_equal(verdict(slice_sub(stamp, 0, 14), 5000), STAMP_INVALID);
	assert_int_equal(verdict(SLICE("x"), 5000), STAMP_INVALID);
	assert_int_equal(verdict(SLICE("99999999999999999999."), 5000), STAMP_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_of_a_honeypot),
		cmocka_unit_test(other_names_are_no_honeypots),
		cmocka_unit_test_setup_teardown(the_age_of_a_form, begin, end),
		cmocka_unit_test_setup_teardown(only_our_stamps_count, begin, end),
	};
	return cmocka_run_group_tests_name("bots/form_traps", tests, NULL, NULL);
}
