/* SPDX-License-Identifier: MIT
 * UTF-8: which texts are valid, where they are cut, and what replaces invalid bytes. */
#include "unit.h"

#include "base/pool.h"
#include "base/utf8.h"

/* RFC 3629, section 3 */
static void
utf8_is_strict(void **state UNUSED)
{
	static const struct {
		struct slice text;
		size_t valid;
	} cases[] = {
		{ SLICE(""), 0 },
		{ SLICE("0123456789abcdef"), 16 },
		{ SLICE("01234567\xc3\xa4\xe2\x82\xac\xf4\x8f\xbf\xbf!"), 18 },
		{ SLICE("\xed\x9f\xbf\xee\x80\x80"), 6 },
		{ SLICE("0123456789\x80"), 10 },
		{ SLICE("a\xc0\xaf"), 1 },
		{ SLICE("a\xc1\xbf"), 1 },
		{ SLICE("a\xe0\x9f\xbf"), 1 },
		{ SLICE("a\xf0\x8f\xbf\xbf"), 1 },
		{ SLICE("a\xed\xa0\x80"), 1 },
		{ SLICE("a\xf4\x90\x80\x80"), 1 },
		{ SLICE("a\xf5\x80\x80\x80"), 1 },
		{ SLICE("a\xe2\x82"), 1 },
		{ SLICE("a\xe2\x82x"), 1 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(utf8_valid_size(cases[i].text), cases[i].valid);
		assert_int_equal(utf8_valid(cases[i].text), cases[i].valid == cases[i].text.size);
	}
	struct slice rest = SLICE("\xf0\x9f\x98\x80z");
	uint32_t character;
	assert_true(utf8_next(&rest, &character) && character == 0x1f600);
	assert_true(utf8_next(&rest, &character) && character == 'z');
	assert_false(utf8_next(&rest, &character));
}

static void
utf8_is_cut_between_characters(void **state UNUSED)
{
	static const struct {
		size_t maximum, size;
	} cases[] = { { 0, 0 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 4 }, { 5, 5 }, { 9, 5 } };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(utf8_cut(SLICE("a\xe2\x82\xac"
						"b"),
				     cases[i].maximum)
				     .size,
		    cases[i].size);
}

/* C0, DEL and C1. The last byte of another character is not a control character. */
static void
control_characters_in_utf8_are_found(void **state UNUSED)
{
	static const struct slice with[] = { SLICE("\0"), SLICE("a\tb"), SLICE("\x7f"), SLICE("\xc2\x80"), SLICE("a\xc2\x9f") };
	static const struct slice without[] = { SLICE(""), SLICE(" ~"), SLICE("\xc2\xa0"), SLICE("\xc3\x80"),
		SLICE("\xe2\x82\x80"), SLICE_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		assert_true(utf8_has_control(with[i]));
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		assert_false(utf8_has_control(without[i]));
}

/* A receiver's response is shown as text; each invalid byte is replaced by one character. */
static void
invalid_utf8_is_replaced(void **state UNUSED)
{
	static const struct {
		struct slice text, sanitized;
	} cases[] = {
		{ SLICE(""), SLICE("") },
		{ SLICE("all fine \xc3\xbc"), SLICE("all fine \xc3\xbc") },
		{ SLICE("\xff"), SLICE("\xef\xbf\xbd") },
		{ SLICE("a\xff\xfe"
			"b"),
		    SLICE("a\xef\xbf\xbd\xef\xbf\xbd"
			  "b") },
		{ SLICE("cut \xc3"), SLICE("cut \xef\xbf\xbd") },
		{ SLICE("\xed\xa0\x80"), SLICE("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") },
		{ SLICE("nul \0 stays\x80"), SLICE("nul \0 stays\xef\xbf\xbd") },
	};
	struct pool *pool = pool_new();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_slices_equal(utf8_sanitized(pool, cases[i].text), cases[i].sanitized);
	assert_false(slice_present(utf8_sanitized(pool, SLICE_NONE)));
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_strict),
		cmocka_unit_test(utf8_is_cut_between_characters),
		cmocka_unit_test(control_characters_in_utf8_are_found),
		cmocka_unit_test(invalid_utf8_is_replaced),
	};
	return cmocka_run_group_tests_name("base/utf8", tests, NULL, NULL);
}
