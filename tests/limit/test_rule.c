/* SPDX-License-Identifier: MIT
 * The settings of limits: a number and a window (docs/api.md 5). */
#include "unit.h"

#include "limit/rule.h"

static void
rules_are_read(void **state)
{
	(void)state;
	struct limit_rule rule;
	struct slice bad;
	assert_true(limit_rule_parse(SLICE("10/60s, 20/3m\t1000000/24h"), &rule, &bad));
	assert_int_equal(rule.count, 3);
	assert_int_equal(rule.windows[0].limit, 10);
	assert_int_equal(rule.windows[0].ms, 60000);
	assert_int_equal(rule.windows[1].limit, 20);
	assert_int_equal(rule.windows[1].ms, 180000);
	assert_int_equal(rule.windows[2].limit, LIMIT_MAX);
	assert_int_equal(rule.windows[2].ms, LIMIT_WINDOW_MAX_MS);
	assert_true(limit_rule_parse(SLICE(" "), &rule, &bad));
	assert_int_equal(rule.count, 0);
}

static void
other_texts_are_refused(void **state)
{
	(void)state;
	static const char *const texts[] = { "10", "10/", "/60s", "0/60s", "-1/60s", "1000001/60s", "10/60", "10/0s", "10/1s",
		"10/4s", "10/3001ms", "10/25h", "10/60s/3", "x/60s", "10 /60s", "1/3s 1/6s 1/9s 1/12s 1/15s" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct limit_rule rule;
		struct slice bad;
		if (limit_rule_parse(slice_of(texts[i]), &rule, &bad))
			fail_msg("%s is taken for a rule", texts[i]);
		assert_true(bad.size > 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_read),
		cmocka_unit_test(other_texts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
