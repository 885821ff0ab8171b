/* SPDX-License-Identifier: MIT
 * The settings of limits: a number and a window (docs/api.md 5). Modules: limit/window. */
#include "unit.h"

#include "limit/window.h"

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

/* leadhook.conf(5), limits.hosts: N hosts together allow the limit, and at most N - 1 more, each at least 1. */
static void
shares_are_rounded_up(void **state)
{
	(void)state;
	static const uint32_t shares[][3] = { { 10, 1, 10 }, { 10, 2, 5 }, { 11, 2, 6 }, { 10, 3, 4 }, { 1, 1000, 1 },
		{ LIMIT_MAX, 3, 333334 }, { LIMIT_MAX, 1000, 1000 }, { 0, 2, 0 } };
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		assert_int_equal(limit_share(shares[i][0], shares[i][1]), shares[i][2]);
	struct limit_rule rule;
	struct slice bad;
	assert_true(limit_rule_parse(SLICE("10/60s 21/180s"), &rule, &bad));
	limit_rule_share(&rule, 2);
	assert_int_equal(rule.windows[0].limit, 5);
	assert_int_equal(rule.windows[1].limit, 11);
	assert_int_equal(rule.windows[1].ms, 180000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_read),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(shares_are_rounded_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
