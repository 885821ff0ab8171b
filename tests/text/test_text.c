/* SPDX-License-Identifier: MIT
 * The catalogue of texts, the choice of a language, placeholders and numbers. */
#include "unit.h"

#include "base/attributes.h"
#include "base/utf8.h"
#include "text/text.h"
#include "with_pool.h"

static void
every_language_has_every_text(void **state UNUSED)
{
	for (unsigned language = 0; language < TEXT_LANGUAGES; language++)
		for (unsigned key = 0; key < TEXT_KEYS; key++) {
			struct slice text = text_find((enum text_language)language, (enum text_key)key);
			assert_true(text.size > 0);
			assert_true(utf8_valid(text));
		}
	assert_slice(text_find(TEXT_LANGUAGE_EN, TEXT_OPT_OUT_TITLE), "Unsubscribe");
	assert_slice(text_find(TEXT_LANGUAGE_DE, TEXT_OPT_OUT_TITLE), "Abmelden");
}

static void
directions_are_ltr_or_rtl(void **state UNUSED)
{
	static const struct slice directions[] = { SLICE("ltr"), SLICE("rtl") };
	for (unsigned i = 0; i < TEXT_LANGUAGES; i++)
		assert_true(slice_is_one_of(text_find((enum text_language)i, TEXT_LANGUAGE_DIRECTION), directions, 2));
}

static void
codes_are_parsed_in_any_case(void **state UNUSED)
{
	enum text_language language = TEXT_LANGUAGE_ES;
	assert_false(text_language_parse(SLICE("xx"), &language));
	assert_false(text_language_parse(SLICE(""), &language));
	assert_false(text_language_parse(SLICE("de-AT"), &language));
	assert_int_equal(language, TEXT_LANGUAGE_ES);
	for (unsigned i = 0; i < TEXT_LANGUAGES; i++) {
		assert_true(text_language_parse(text_language_code((enum text_language)i), &language));
		assert_int_equal(language, i);
	}
	assert_true(text_language_parse(SLICE("FR"), &language));
	assert_int_equal(language, TEXT_LANGUAGE_FR);
}

static void
accept_language_chooses(void **state UNUSED)
{
	static const struct {
		const char *header;
		enum text_language expected;
	} cases[] = {
		{ NULL, TEXT_LANGUAGE_EN },
		{ "", TEXT_LANGUAGE_EN },
		{ "de", TEXT_LANGUAGE_DE },
		{ "DE-at", TEXT_LANGUAGE_DE },
		{ "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", TEXT_LANGUAGE_FR },
		{ "en;q=0.5,de;q=0.8", TEXT_LANGUAGE_DE },
		{ "ja,es ; q=0.3 ,de;q=0.299", TEXT_LANGUAGE_ES },
		{ "de;q=0.9,fr;q=0.9", TEXT_LANGUAGE_DE },
		{ "de;q=0,fr;q=0.001", TEXT_LANGUAGE_FR },
		{ "de;q=0", TEXT_LANGUAGE_EN },
		{ "ja, ko", TEXT_LANGUAGE_EN },
		{ "*", TEXT_LANGUAGE_EN },
		{ "de;q=1.001, fr;q=0.1", TEXT_LANGUAGE_FR },
		{ "de;q=0.0001, fr;q=0.1", TEXT_LANGUAGE_FR },
		{ "de;q=, fr;q=0.1", TEXT_LANGUAGE_FR },
		{ "de;q=.5, fr;q=0.1", TEXT_LANGUAGE_FR },
		{ "de;q=0-5, fr;q=0.1", TEXT_LANGUAGE_FR },
		{ "de;q=2, fr;q=0.1", TEXT_LANGUAGE_FR },
		{ "de;Q=0.2, fr;q=0.1", TEXT_LANGUAGE_DE },
		{ "de;q=0., fr;q=1.", TEXT_LANGUAGE_FR },
		{ ",,;,;q=1,-,fr", TEXT_LANGUAGE_FR },
		{ "d, deu, fr;level=1;q=0.1", TEXT_LANGUAGE_FR },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (TEXT_LANGUAGE_FIRST(text_language_accept(slice_of(cases[i].header))) != cases[i].expected)
			fail_msg("%s", cases[i].header);
}

static void
placeholders_are_filled(void **state UNUSED)
{
	static const struct {
		const char *text, *filled;
	} cases[] = {
		{ "", "" },
		{ "no name", "no name" },
		{ "{a}", "1" },
		{ "{a}{b}{a}", "1{a}1" },
		{ "x {a} y", "x 1 y" },
		{ "{c} {", "{c} {" },
		{ "{a", "{a" },
		{ "{{a}} {a}", "{{a}} 1" },
		{ "{x {a}", "{x 1" },
		{ "}{}", "}{}" },
		{ "{empty}.", "." },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_slice(TEXT_FILL(pool, slice_of(cases[i].text), { "a", SLICE("1") }, { "b", SLICE("{a}") },
				 { "empty", SLICE("") }),
		    cases[i].filled);
}

static void
numbers_have_groups(void **state UNUSED)
{
	assert_slice(text_number(pool, TEXT_LANGUAGE_EN, 0), "0");
	assert_slice(text_number(pool, TEXT_LANGUAGE_EN, 999), "999");
	assert_slice(text_number(pool, TEXT_LANGUAGE_EN, 1000), "1,000");
	assert_slice(text_number(pool, TEXT_LANGUAGE_DE, 12345678), "12.345.678");
	assert_slice(text_number(pool, TEXT_LANGUAGE_EN, UINT64_MAX), "18,446,744,073,709,551,615");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_language_has_every_text),
		cmocka_unit_test(directions_are_ltr_or_rtl),
		cmocka_unit_test(codes_are_parsed_in_any_case),
		cmocka_unit_test(accept_language_chooses),
		cmocka_unit_test_setup_teardown(placeholders_are_filled, begin, end),
		cmocka_unit_test_setup_teardown(numbers_have_groups, begin, end),
	};
	return cmocka_run_group_tests_name("text/text", tests, NULL, NULL);
}
