/* SPDX-License-Identifier: MIT
 * Durations as text. */
#include "unit.h"

#include "base/duration.h"

static void
durations_have_a_unit(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = { { "0ms", 0 }, { "200ms", 200 }, { "15s", 15000 }, { "5m", 300000 }, { "24h", 86400000 },
		{ "30d", 2592000000 } };
	static const char *const bad[] = { "", "s", "5", "5 s", "-5s", "1.5s", "05s", "5S", "5sec", "1h30m", "106751991168d" };
	int64_t ms = 7;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(duration_parse(slice_of(good[i].text), &ms));
		assert_int_equal(ms, good[i].ms);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(duration_parse(slice_of(bad[i]), &ms));
	struct buffer text;
	buffer_init(&text, 100);
	static const int64_t written[] = { 0, 200, 15000, 90000, 86400000, 90000000 };
	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		duration_add(&text, written[i]);
		buffer_add_byte(&text, ' ');
	}
	assert_string_equal(text.data, "0ms 200ms 15s 90s 1d 25h ");
	buffer_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_have_a_unit),
	};
	return cmocka_run_group_tests_name("base/duration", tests, NULL, NULL);
}
