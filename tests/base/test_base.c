/* SPDX-License-Identifier: MIT
 * The base layer: slices, pools, buffers, numbers, times. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/encode.h"
#include "base/pool.h"
#include "base/slice.h"
#include "base/utf8.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/random.h"

static void
numbers_are_strict(void **state)
{
	(void)state;
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
a_host_may_have_a_port(void **state)
{
	static const struct {
		const char *text, *host;
		uint64_t port;
	} good[] = { { "db1", "db1", 0 }, { "db1:3307", "db1", 3307 }, { "192.0.2.1:1", "192.0.2.1", 1 }, { "::1", "::1", 0 },
		{ "[::1]", "::1", 0 }, { "[2001:db8::1]:65535", "2001:db8::1", 65535 } };
	static const char *const bad[] = { "", ":1", "db1:", "db1:0", "db1:65536", "db1:x", "[]", "[]:1", "[::1]1", "[::1]:" };
	(void)state;
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
slices_are_ordered_by_bytes(void **state)
{
	(void)state;
	assert_true(slice_compare(SLICE("a"), SLICE("b")) < 0);
	assert_true(slice_compare(SLICE("b"), SLICE("ab")) > 0);
	assert_true(slice_compare(SLICE("a"), SLICE("ab")) < 0);
	assert_true(slice_compare(SLICE("\xc3"), SLICE("z")) > 0);
	assert_int_equal(slice_compare(SLICE("ab"), SLICE("ab")), 0);
	assert_int_equal(slice_compare(SLICE_NONE, SLICE("")), 0);
}

static void
slices_split_and_trim(void **state)
{
	(void)state;
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
	assert_true(slice_contains_nocase(SLICE("x=SaFe"), SLICE("saf")) && !slice_contains_nocase(SLICE("sa"), SLICE("saf")));
	assert_true(slice_is_listed(SLICE("one"), "one two") && slice_is_listed(SLICE("two"), "one two"));
	assert_false(slice_is_listed(SLICE("on"), "one two") || slice_is_listed(SLICE("e t"), "one two"));
	assert_true(slice_ends_with(SLICE("a.example"), SLICE(".example")));
	assert_int_equal(slice_find_last(SLICE("a.b.c"), '.'), 3);
}

static void
control_characters_are_found_anywhere(void **state)
{
	(void)state;
	static const struct slice with[] = { SLICE("\0"), SLICE("a\tb"), SLICE("\nab"), SLICE("ab\r"), SLICE("a\x1f"),
		SLICE("\x7f") };
	static const struct slice without[] = { SLICE(""), SLICE(" ~"), SLICE("\x80\x9f\xff"), SLICE("\xc3\xbc"), SLICE_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		assert_true(slice_has_control(with[i]));
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		assert_false(slice_has_control(without[i]));
}

static void
a_buffer_has_a_maximum(void **state)
{
	(void)state;
	struct buffer buffer;
	buffer_init(&buffer, 10);
	buffer_add_text(&buffer, "12345");
	buffer_add_u64(&buffer, 67890);
	assert_true(buffer_ok(&buffer));
	assert_slice(buffer_slice(&buffer), "1234567890");
	buffer_add_byte(&buffer, 'x');
	assert_false(buffer_ok(&buffer));
	buffer_clear(&buffer);
	buffer_add_i64(&buffer, INT64_MIN / 1000000000000);
	assert_true(buffer_ok(&buffer));
	assert_slice(buffer_slice(&buffer), "-9223372");
	buffer_printf(&buffer, "%s", "long enough to fail");
	assert_false(buffer_ok(&buffer));
	/* smaller data is not appended either */
	buffer_add(&buffer, SLICE(""));
	buffer_add_byte(&buffer, 'x');
	assert_null(buffer_extend(&buffer, 1));
	assert_slice(buffer_slice(&buffer), "-9223372");
	char *place = buffer.data;
	buffer_clear(&buffer);
	assert_memory_equal(place, "\0\0\0\0\0\0\0\0", 8); /* no part of a secret remains */
	memcpy(buffer_extend(&buffer, 10), "0123456789", 10);
	assert_string_equal(buffer.data, "0123456789");
	assert_null(buffer_extend(&buffer, 1));
	buffer_clear(&buffer);
	buffer_add_u64(&buffer, 0);
	assert_slice(buffer_slice(&buffer), "0");
	buffer_free(&buffer);
}

static void
a_pool_allocates_small_and_large_pieces(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		char *piece = pool_alloc(pool, size);
		assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
		assert_int_equal(piece[size - 1], 0);
		memset(piece, 'x', size);
	}
	pool_reset(pool);
	assert_int_equal(*(char *)pool_alloc(pool, 1), 0);
	assert_slice(pool_printf(pool, "%d-%s", 7, "x"), "7-x");
	struct slice joined = POOL_JOIN(pool, SLICE("a"), SLICE_NONE, SLICE("bc"), SLICE(""));
	assert_slice(joined, "abc");
	assert_int_equal(joined.data[joined.size], 0);
	assert_true(slice_present(pool_join(pool, NULL, 0)) && pool_join(pool, NULL, 0).size == 0);
	assert_false(slice_present(pool_copy(pool, SLICE_NONE)));
	assert_true(slice_present(pool_copy(pool, SLICE(""))));
	pool_free(&pool);
	assert_null(pool);
}

/* No part of a secret remains. */
static void
a_pool_overwrites_freed_memory(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	char *first = pool_bytes(pool, 4000);
	memset(first, 'x', 4000);
	pool_reset(pool);
	const bool again = pool_bytes(pool, 4000) == first; /* otherwise the address sanitizer tracks each piece */
	for (size_t i = 0; again && i < 4000; i++)
		assert_int_equal(first[i], 0);
	pool_free(&pool);
	if (!again)
		puts("# skipped: no piece is used again here");
}

/* docs/architecture.md 7.4: freed memory is counted, so that it can be returned to the system. */
static void
pools_count_what_they_free(void **state)
{
	(void)state;
	enum { LARGE = 1024 * 1024 };
	struct pool *pool = pool_new(), *other = pool_new();
	(void)memory_freed();
	assert_int_equal(memory_freed(), 0);
	memset(pool_bytes(pool, LARGE), 'x', LARGE);
	assert_int_equal(memory_freed(), 0); /* it is in use */
	pool_reset(pool);
	assert_in_range(memory_freed(), LARGE, LARGE + LARGE / 8);
	assert_int_equal(memory_freed(), 0); /* since the last call */
	for (int i = 0; i < 4; i++) {
		memset(pool_bytes(pool, LARGE), 'x', LARGE);
		memset(pool_bytes(other, LARGE), 'x', LARGE);
		pool_reset(pool);
		pool_reset(other);
	}
	assert_in_range(memory_freed(), 2 * LARGE, 2 * LARGE + LARGE / 8); /* at the same time */
	pool_free(&pool);
	pool_free(&other);
	memory_trim();
}

static void
times_follow_rfc3339(void **state)
{
	(void)state;
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
times_are_formatted_by_the_calendar(void **state)
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
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		clock_rfc3339(cases[i].ms, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void
bytes_become_text_and_back(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	struct slice bytes;
	assert_slice(encode_hex(pool, (struct slice){ "\x00\xff", 2 }), "00ff");
	assert_true(decode_hex(pool, SLICE("00Ff"), &bytes));
	assert_memory_equal(bytes.data, "\x00\xff", 2);
	assert_false(decode_hex(pool, SLICE("0"), &bytes));
	assert_false(decode_hex(pool, SLICE("0g"), &bytes));
	assert_int_equal(percent_byte(SLICE("a%fF%"), 1), 0xff);
	assert_int_equal(percent_byte(SLICE("%0"), 0), -1);
	assert_int_equal(percent_byte(SLICE("%0g"), 0), -1);
	assert_int_equal(percent_byte(SLICE("a%00"), 0), -1);
	struct buffer buffer;
	buffer_init(&buffer, 100);
	encode_percent(&buffer, SLICE("a b/\xc3\xa4~"));
	assert_slice(buffer_slice(&buffer), "a%20b%2F%C3%A4~");
	buffer_free(&buffer);
	pool_free(&pool);
}

static void
random_numbers_stay_below_their_bound(void **state)
{
	(void)state;
	unsigned seen = 0;
	for (int i = 0; i < 1000; i++) {
		uint64_t number = random_below(3);
		assert_true(number < 3);
		seen |= 1u << number;
	}
	assert_int_equal(seen, 7);
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

/* RFC 3629, section 3 */
static void
utf8_is_strict(void **state)
{
	(void)state;
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
a_rotated_log_is_reopened(void **state)
{
	(void)state;
	static const char folder_template[] = "/tmp/leadhook-log-XXXXXX";
	char folder[sizeof(folder_template)], path[64], moved[64], given[64];
	struct stat status;
	memcpy(folder, folder_template, sizeof(folder));
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(moved, sizeof(moved), "%s/log.1", folder);
	memcpy(given, path, sizeof(given));
	struct log_file *file = log_open(given);
	assert_non_null(file);
	log_use(file);
	memset(given, 'x', sizeof(given) - 1); /* as after a reload of the configuration */
	given[sizeof(given) - 1] = '\0';
	log_error("first", LOG_UINT("n", 1));
	assert_int_equal(rename(path, moved), 0);
	log_error("second", LOG_UINT("n", 2));
	assert_true(stat(path, &status) == 0 && status.st_size > 0 && (status.st_mode & 0137) == 0);
	assert_true(stat(moved, &status) == 0 && status.st_size > 0);
	log_use(NULL);
	assert_true(unlink(path) == 0 && unlink(moved) == 0 && rmdir(folder) == 0);
}

/* A receiver's response is shown as text; each invalid byte is replaced by one character. */
/* C0, DEL and C1; the last byte of another character is none. */
static void
control_characters_in_utf8_are_found(void **state)
{
	(void)state;
	static const struct slice with[] = { SLICE("\0"), SLICE("a\tb"), SLICE("\x7f"), SLICE("\xc2\x80"), SLICE("a\xc2\x9f") };
	static const struct slice without[] = { SLICE(""), SLICE(" ~"), SLICE("\xc2\xa0"), SLICE("\xc3\x80"),
		SLICE("\xe2\x82\x80"), SLICE_NONE };
	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		assert_true(utf8_has_control(with[i]));
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		assert_false(utf8_has_control(without[i]));
}

static void
invalid_utf8_is_replaced(void **state)
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
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_slices_equal(utf8_sanitized(pool, cases[i].text), cases[i].sanitized);
	assert_false(slice_present(utf8_sanitized(pool, SLICE_NONE)));
	pool_free(&pool);
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
		cmocka_unit_test(a_buffer_has_a_maximum),
		cmocka_unit_test(a_pool_allocates_small_and_large_pieces),
		cmocka_unit_test(a_pool_overwrites_freed_memory),
		cmocka_unit_test(pools_count_what_they_free),
		cmocka_unit_test(times_follow_rfc3339),
		cmocka_unit_test(times_are_formatted_by_the_calendar),
		cmocka_unit_test(bytes_become_text_and_back),
		cmocka_unit_test(random_numbers_stay_below_their_bound),
		cmocka_unit_test(utf8_is_strict),
		cmocka_unit_test(utf8_is_cut_between_characters),
		cmocka_unit_test(control_characters_in_utf8_are_found),
		cmocka_unit_test(invalid_utf8_is_replaced),
		cmocka_unit_test(a_rotated_log_is_reopened),
	};
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
