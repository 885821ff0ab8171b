/* SPDX-License-Identifier: MIT
 * docs/operating.md 7.4: where an address is found, and where it is not. */
#include "unit.h"

#include <string.h>
#include <time.h>

#include "identity/address_finder.h"

static struct pool *pool;

static int
set_up(void **state UNUSED)
{
	pool = pool_new();
	return 0;
}

static int
tear_down(void **state UNUSED)
{
	pool_free(&pool);
	return 0;
}

static void
check_texts(const struct address_finder *finder, const char *const *texts, size_t count, bool found)
{
	for (size_t i = 0; i < count; i++)
		if (address_finder_finds(finder, slice_of(texts[i])) != found)
			fail_msg("%s: %s", found ? "not found" : "found", texts[i]);
}

static void
an_email_address_is_found_in_texts(void **state UNUSED)
{
	static const struct slice spellings[] = { SLICE("ada+x@example.org"), SLICE("ADA+x@b\303\274cher.example") };
	static const char *const with[] = { "ada+x@example.org", "{\"email\":\"Ada+X@Example.ORG\"}",
		"a=1&m=ada%2bx%40example.org&b", "<ada+x@example.org>", "mailto:ada+x@example.org.", "(ada+x@example.org)",
		"\\u003cada\\u002bx\\u0040example.org\\u003e", "%3Cada%2Bx%40example.org%3E", "ada+x@b\303\274cher.example",
		"ADA+X@B\303\234CHER.EXAMPLE", "ada+x@b%c3%bccher.example", "ada+x@b\\u00fccher.example",
		"x, ada+x@example.org, y", "\"a\\nada+x@example.org\"", "'ada+x@example.org'",
		"https://a.example/?m=ada%2Bx%40example.org", "https:\\/\\/a.example\\/ada+x@example.org",
		"payload=%7B%22m%22%3A%22ada%5Cu002bx%40example.org%22%7D", "{\"m\":\"\\u0026m=ada%2bx%40example.org\"}",
		"\377ada+x@example.org\377", "page=https%3A%2F%2Fa.example%2F%3Fm%3Dada%252Bx%2540example.org",
		"p=https%3A%2F%2Fa.example%2F%3Fn%3Dhttps%253A%252F%252Fb.example%252F%253Fm%253Dada%25252Bx%252540example.org",
		"{\"j\":\"{\\\"m\\\":\\\"ada+x\\\\u0040example.org\\\"}\"}" };
	static const char *const without[] = { "bada+x@example.org", "ada@example.org", "x.ada+x@example.org",
		"ada+x@example.organic", "ada+x@example.org.uk", "ada+x@example-org", "ada+x@example", "",
		"d'ada+x@example.org", "x/ada+x@example.org", "x\\/ada+x@example.org", "\"b=ada+x@example.org\"",
		"!ada+x@example.org", "https://a.example/?m=news%2Bada%2Bx%40example.org",
		"https://a.example/?m=a%5Fada%2Bx%40example.org", "\303\274ada+x@example.org", "ada+x@example.org\303\274",
		"ada+x", "%", "%4", "\\", "\\u", "\\u00", "\\ud800" };
	const struct address_finder *finder = address_finder_of_email(pool, spellings, ARRAY_SIZE(spellings));
	check_texts(finder, with, ARRAY_SIZE(with), true);
	check_texts(finder, without, ARRAY_SIZE(without), false);
}

/* docs/api.md 4.2: case does not matter in a domain; in a local part, it does not matter for ASCII letters. */
static void
letters_that_are_two_addresses_are_two(void **state UNUSED)
{
	static const struct slice spelling = SLICE("\303\251i.k@\303\274.example");
	static const char *const same[] = { "\303\251i.k@\303\274.example", "\303\251I.K@\303\234.EXAMPLE",
		"e\314\201i.k@u\314\210.example" };
	static const char *const others[] = { "\303\211i.k@\303\274.example", "\303\251\304\261.k@\303\274.example",
		"ei.k@\303\274.example" };
	const struct address_finder *finder = address_finder_of_email(pool, &spelling, 1);
	check_texts(finder, same, ARRAY_SIZE(same), true);
	check_texts(finder, others, ARRAY_SIZE(others), false);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_true(address_finder_is(finder, slice_of(same[i])));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(address_finder_is(finder, slice_of(others[i])));
}

static void
a_number_is_found_in_texts(void **state UNUSED)
{
	static const char *const with[] = { "+4930123456", "tel:+4930123456;", "%2B4930123456", "004930123456",
		"\\u002b4930123456", "+49 30 123-456", "+49 (30) 123.456", "+49%2030%20123456", "+49\\/30\\/123456",
		"++4930123456", "0+4930123456", "+1 +4930123456", "(00) 49 30123456" };
	static const char *const without[] = { "4930123456", "+49301234567", "+14930123456", "1004930123456", "+493012345",
		"+49x30123456", "+", "00", "", "0 04930123456" };
	const struct address_finder *finder = address_finder_of_phone(pool, SLICE("+4930123456"));
	check_texts(finder, with, ARRAY_SIZE(with), true);
	check_texts(finder, without, ARRAY_SIZE(without), false);
}

/* Characters with a meaning in patterns and in escapes. */
static void
every_character_is_taken_as_it_is(void **state UNUSED)
{
	static const struct slice spelling = SLICE("a.b|c{2}^$*?/`~=%2b@example.org");
	const struct address_finder *finder = address_finder_of_email(pool, &spelling, 1);
	assert_true(address_finder_finds(finder, SLICE("a.b|c{2}^$*?/`~=%2b@example.org")));
	assert_true(address_finder_finds(finder, SLICE("\"a.b|c{2}^$*?\\/`~=%2b@example.org\"")));
	assert_true(address_finder_finds(finder, SLICE("x=a.b%7cc%7b2%7d%5e$*?%2f`~%3d%252b%40example.org")));
	assert_false(address_finder_finds(finder, SLICE("axb|c{2}^$*?/`~=%2b@example.org")));
	assert_false(address_finder_finds(finder, SLICE("c@example.org")));
}

static void
a_value_is_the_address(void **state UNUSED)
{
	static const struct slice spelling = SLICE("ada@b\303\274cher.example");
	const struct address_finder *email = address_finder_of_email(pool, &spelling, 1);
	const struct address_finder *phone = address_finder_of_phone(pool, SLICE("+4930123456"));
	assert_true(address_finder_is(email, SLICE("Ada@B\303\274cher.Example")));
	assert_true(address_finder_is(email, SLICE("ada@xn--bcher-kva.example")));
	assert_false(address_finder_is(email, SLICE("ada@bucher.example")));
	assert_false(address_finder_is(email, SLICE(" ada@b\303\274cher.example, x")));
	assert_false(address_finder_is(email, SLICE("")));
	assert_true(address_finder_is(phone, SLICE("+4930123456")));
	assert_true(address_finder_is(phone, SLICE("4930123456")));
	assert_false(address_finder_is(phone, SLICE("+49301234567")));
	assert_false(address_finder_is(phone, SLICE("")));
}

static const char *const repeated[] = { "+", "00", "+4", "+49 ", "4 ", "(", " ", "%2b", "%20", "\\/", "\\u002b", "%", "\\",
	"%5c", "a", "a@", "@", ".", "'", "&a=", "/", "https://", "http://a@", "a@example.org", "\303\274", "\303", "%c3%bc",
	"%c3" };

/* Returns the processor time of searches in all of these texts. */
static int64_t
search_ns(size_t size)
{
	static const struct slice spelling = SLICE("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa+a@a.example.a");
	static const char word[] = "<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>";
	char *text = pool_bytes(pool, size);
	struct timespec begun, ended;
	const struct address_finder *const finders[] = { address_finder_of_email(pool, &spelling, 1),
		address_finder_of_phone(pool, SLICE("+491701234500")) };
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun), 0);
	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		for (size_t at = 0; at < size; at++)
			text[at] = repeated[i][at % strlen(repeated[i])];
		memcpy(text, word, strlen(word)); /* the longest word of the address: a text without it is not searched */
		for (size_t k = 0; k < ARRAY_SIZE(finders); k++)
			assert_false(address_finder_finds(finders[k], (struct slice){ text, size }));
	}
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended), 0);
	return (ended.tv_sec - begun.tv_sec) * INT64_C(1000000000) + ended.tv_nsec - begun.tv_nsec;
}

/* Texts that repeat what may begin or continue an address: a search that read on from each place would take 64 times as long
 * for eight times the text. */
static void
no_text_takes_long(void **state UNUSED)
{
	enum { SIZE = 4 * 1024, TIMES = 8, LONGER = 40 };
	const int64_t small_ns = search_ns(SIZE), large_ns = search_ns(TIMES * SIZE);
	if (large_ns > LONGER * small_ns)
		fail_msg("%d times the text takes %.1f times as long", TIMES, (double)large_ns / (double)small_ns);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_email_address_is_found_in_texts),
		cmocka_unit_test(letters_that_are_two_addresses_are_two),
		cmocka_unit_test(a_number_is_found_in_texts),
		cmocka_unit_test(every_character_is_taken_as_it_is),
		cmocka_unit_test(a_value_is_the_address),
		cmocka_unit_test(no_text_takes_long),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
