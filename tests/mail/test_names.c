/* SPDX-License-Identifier: MIT
 * docs/mail.md 1.2: how values are cleaned before they are shown. */
#include "unit.h"

#include <string.h>

#include "mail/names.h"
#include "with_pool.h"

static void
assert_clean(enum mail_name name, const char *value, const char *expected)
{
	struct mail_values values = { .of = { [0] = SLICE_NONE } }, clean, again;
	values.of[name] = slice_of(value);
	mail_values_clean(pool, &values, &clean);
	assert_string_equal(pool_string(pool, clean.of[name]), expected);
	mail_values_clean(pool, &clean, &again);
	assert_slices_equal(again.of[name], clean.of[name]);
}

static void
every_name_is_found(void **state UNUSED)
{
	enum mail_name name = MAIL_NAMES;
	for (size_t i = 0; i < MAIL_NAMES; i++) {
		assert_true(mail_name_find(mail_name_text((enum mail_name)i), &name));
		assert_int_equal(name, i);
		assert_int_equal(mail_name_is_url(name), slice_ends_with(mail_name_text(name), SLICE("_url")));
	}
	assert_false(mail_name_find(SLICE("First_name"), &name));
	assert_false(mail_name_find(SLICE(""), &name));
}

static void
texts_are_one_line(void **state UNUSED)
{
	assert_clean(MAIL_REWARD, " a\r\nb\tc\x7f \xc2\x85 d ", "a  b c    d");
	assert_clean(MAIL_REWARD, "a\xe2\x80\xa8z", "a z");                      /* U+2028 */
	assert_clean(MAIL_REWARD, "a\xe2\x80\xae\xef\xbb\xbf\xc2\xad b", "a b"); /* U+202E, U+FEFF, U+00AD */
	assert_clean(MAIL_REWARD, "a\xff", "a\xef\xbf\xbd");
	assert_clean(MAIL_REWARD, "\n", "");
	assert_clean(MAIL_REWARD, "a.example <b> {{code}}", "a.example <b> {{code}}");
}

static void
texts_are_cut_between_characters(void **state UNUSED)
{
	char text[2 * 201 + 1] = "", expected[2 * 200 + 1] = "";
	for (size_t i = 0; i < 201; i++)
		memcpy(text + 2 * i, "\xc3\xa9", 2);
	memcpy(expected, text, 2 * 200);
	assert_clean(MAIL_CAMPAIGN_NAME, text, expected);
}

static void
names_are_left_out_that_programs_make_links_of(void **state UNUSED)
{
	static const char *const names[] = { "Ada", "Ada M. Lovelace", "J.R.R. Tolkien", "Dr. No", "O'Neil-Smith", "R2D2",
		"Ada...", "\xe5\xbc\xa0\xe4\xbc\x9f", "Ada: x", "a/b", "123456", "Ada:", "No. 1", "1. FC" };
	static const char *const links[] = { "evil.example", "Win at www.evil", "EVIL.COM", "a.b.co", "https://1", "x://y",
		"ada@b", "evil\xe3\x80\x82jp",
		"evil\xef\xbc\x8e"
		"com",
		"b\xc3\xbc"
		"cher.de",
		"call 0900 123 456",
		"ev\xc2\xad"
		"il.co\xe2\x80\x8bm",
		"1.2.33", "1.1.1.1", "http:evil", "tel:1", "ev\xe2\x80\xa4il",
		"a\xef\xbc\xa0"
		"b",
		"\xef\xbc\x91\xef\xbc\x92\xef\xbc\x93\xef\xbc\x94\xef\xbc\x95\xef\xbc\x96\xef\xbc\x97",
		"1 \xd9\xa1\xd9\xa2\xd9\xa3 4 \xd9\xa4\xd9\xa5", "x.\xe4\xb8\xad\xe5\x9b\xbd" };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_clean(MAIL_FIRST_NAME, names[i], names[i]);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		assert_clean(MAIL_FIRST_NAME, links[i], "");
		assert_clean(MAIL_DISPLAY_NAME, links[i], "");
		assert_clean(MAIL_REFERRED_NAME, links[i], "");
	}
}

static void
long_names_are_left_out(void **state UNUSED)
{
	char name[MAIL_PERSON_MAX_CHARACTERS + 2] = "";
	memset(name, 'a', MAIL_PERSON_MAX_CHARACTERS);
	assert_clean(MAIL_FIRST_NAME, name, name);
	name[MAIL_PERSON_MAX_CHARACTERS] = 'a';
	assert_clean(MAIL_FIRST_NAME, name, "");
	/* a link after many characters that are not shown is not shown either */
	assert_clean(MAIL_FIRST_NAME, pool_printf(pool, "Ada%*s.example", 300, "").data, "");
}

static void
urls_are_of_the_web(void **state UNUSED)
{
	assert_clean(MAIL_SHARE_URL, "https://a.example/?a=b&c=d#e", "https://a.example/?a=b&c=d#e");
	assert_clean(MAIL_SHARE_URL, "http://a.example/\"<'> |", "http://a.example/%22%3C%27%3E%20%7C");
	assert_clean(MAIL_SHARE_URL,
	    "https://b\xc3\xbc"
	    "cher.example/",
	    "https://b\xc3\xbc"
	    "cher.example/");
	assert_clean(MAIL_SHARE_URL, "https://a.example/\xe2\x80\xae", "https://a.example/%E2%80%AE");
	assert_clean(MAIL_SHARE_URL, "javascript:alert(1)", "");
	assert_clean(MAIL_SHARE_URL, "HTTPS://a.example/", "");
	assert_clean(MAIL_SHARE_URL, "//a.example/", "");
	assert_clean(MAIL_SHARE_URL, "https://a.example/\r\nx", "");
	assert_clean(MAIL_SHARE_URL, "https://a.example/\xff", "");
	assert_clean(MAIL_SHARE_URL, pool_printf(pool, "https://%0*d", MAIL_URL_MAX_BYTES, 0).data, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_name_is_found, begin, end),
		cmocka_unit_test_setup_teardown(texts_are_one_line, begin, end),
		cmocka_unit_test_setup_teardown(texts_are_cut_between_characters, begin, end),
		cmocka_unit_test_setup_teardown(names_are_left_out_that_programs_make_links_of, begin, end),
		cmocka_unit_test_setup_teardown(long_names_are_left_out, begin, end),
		cmocka_unit_test_setup_teardown(urls_are_of_the_web, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
