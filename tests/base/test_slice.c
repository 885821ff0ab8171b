/* SPDX-License-Identifier: MIT
 * Slices: numbers, ports, order, splitting, trimming. */
#include "unit.h"

#include "base/slice.h"

static void
numbers_are_strict(void **state UNUSED)
{
	uint64_t u = 7;
	assert_true(slice_to_u64(SLICE("0"), 10, &u) && u == 0);
	assert_true(slice_to_u64(SLICE("18446744073709551615"), UINT64_MAX, &u) && u == UINT64_MAX);
	assert_false(slice_to_u64(SLICE("18446744073709551616"), UINT64_MAX, &u));
	assert_false(slice_to_u64(SLICE("007"), 10, &u));
	assert_false(slice_to_u64(SLICE("+7"), 10, &u));
	assert_false(slice_to_u64(SLICE("7 "), 10, &u));
	assert_false(slice_to_u64(SLICE(""), 10, &u));
	assert_false(slice_to_u64(SLICE("11"), 10, &u));
	assert_int_equal(u, UINT64_MAX);
}

static void
a_host_may_have_a_port(void **state UNUSED)
{
	static const struct {
		const char *text, *host;
		uint64_t port;
	} good[] = { { "db1", "db1", 0 }, { "db1:3307", "db1", 3307 }, { "192.0.2.1:1", "192.0.2.1", 1 }, { "::1", "::1", 0 },
		{ "[::1]", "::1", 0 }, { "[2001:db8::1]:65535", "2001:db8::1", 65535 } };
	static const char *const bad[] = { "", ":1", "db1:", "db1:0", "db1:65536", "db1:x", "[]", "[]:1", "[::1]1", "[::1]:" };
	struct slice host;
	uint64_t port;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(slice_split_port(slice_of(good[i].text), &host, &port));
		assert_slice(host, good[i].host);
		assert_int_equal(port, good[i].port);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(slice_split_port(slice_of(bad[i]), &host, &port));
}

static void
slices_are_ordered_by_bytes(void **state UNUSED)
{
	assert_true(slice_compare(SLICE("a"), SLICE("b")) < 0);
	assert_true(slice_compare(SLICE("b"), SLICE("ab")) > 0);
	assert_true(slice_compare(SLICE("a"), SLICE("ab")) < 0);
	assert_true(slice_compare(SLICE("\xc3"), SLICE("z")) > 0);
	assert_int_equal(slice_compare(SLICE("ab"), SLICE("ab")), 0);
	assert_int_equal(slice_compare(SLICE_NONE, SLICE("")), 0);
}

static void
slices_split_and_trim(void **state UNUSED)
{
	struct slice rest = SLICE("a,,b"), head;
	assert_true(slice_next(&rest, ',', &head));
	assert_slice(head, "a");
	assert_true(slice_next(&rest, ',', &head));
	assert_slice(head, "");
	assert_true(slice_next(&rest, ',', &head));
	assert_slice(head, "b");
	assert_false(slice_next(&rest, ',', &head));
	rest = SLICE(" one,\ttwo ,, three ");
	assert_true(slice_next_item(&rest, &head));
	assert_slice(head, "one");
	assert_true(slice_next_item(&rest, &head));
	assert_slice(head, "two");
	assert_true(slice_next_item(&rest, &head));
	assert_slice(head, "three");
	assert_false(slice_next_item(&rest, &head));
	assert_slice(slice_trim(SLICE(" \t x y\r\n")), "x y");
	assert_slice(slice_trim(SLICE("   ")), "");
	assert_true(slice_equal_nocase(SLICE("BeArEr"), SLICE("bearer")));
	assert_false(slice_starts_with(SLICE("ab"), SLICE("abc")));
	assert_true(slice_contains(SLICE("abc"), SLICE("bc")) && slice_contains(SLICE_NONE, SLICE("")));
	assert_false(slice_contains(SLICE("abc"), SLICE("abcd")) || slice_contains(SLICE_NONE, SLICE("a")));
	assert_int_equal(slice_find_part(SLICE("ab::c"), SLICE("::")), 2);
	assert_int_equal(slice_find_part(SLICE("abc"), SLICE("d")), 3);
	assert_true(slice_contains_nocase(SLICE("x=SaFe"), SLICE("saf")) && !slice_contains_nocase(SLICE("sa"), SLICE("saf")));
	assert_true(slice_is_listed(SLICE("one"), "one two") && slice_is_listed(SLICE("two"), "one two"));
	assert_false(slice_is_listed(SLICE("on"), "one two") || slice_is_listed(SLICE("e t"), "one two"));
	assert_true(slice_ends_with(SLICE("a.example"), SLICE(".example")));
	assert_int_equal(slice_find_last(SLICE("a.b.c"), '.'), 3);
}

static void
control_characters_are_found_anywhere(void **state UNUSED)
{
	static const struct slice with[] = { SLICE("\0"), SLICE("a\tb"), SLICE("\nab"), SLICE("ab\r"), SLICE("a\x1f"),
		SLICE("\x7f") };
	static const struct slice without[] = { SLICE(""), SLICE(" ~"), SLICE("\x80\x9f\xff"), SLICE("\xc3\xbc"), SLICE_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		assert_true(slice_has_control(with[i]));
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		assert_false(slice_has_control(without[i]));
}

/* Eight bytes are examined at once, and what remains one by one. */
static void
every_byte_counts_at_every_place(void **state UNUSED)
{
	char text[19];
	for (size_t at = 0; at < sizeof(text); at++)
		for (unsigned c = 0; c <= 0xff; c++) {
			memset(text, c % 2 == 0 ? ' ' : '~', sizeof(text));
			text[at] = (char)c;
			const struct slice whole = { text, sizeof(text) };
			assert_int_equal(slice_is_ascii(whole), c < 0x80);
			assert_int_equal(slice_is_printable(whole), c >= ' ' && c <= '~');
			assert_int_equal(slice_has_control(whole), c < ' ' || c == 0x7f);
		}
	assert_true(slice_is_ascii(SLICE_NONE) && slice_is_printable(SLICE_NONE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(a_host_may_have_a_port),
		cmocka_unit_test(slices_are_ordered_by_bytes),
		cmocka_unit_test(slices_split_and_trim),
		cmocka_unit_test(control_characters_are_found_anywhere),
		cmocka_unit_test(every_byte_counts_at_every_place),
	};
	return cmocka_run_group_tests_name("base/slice", tests, NULL, NULL);
}
