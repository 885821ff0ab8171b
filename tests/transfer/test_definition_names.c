/* SPDX-License-Identifier: MIT
 * Tags and actions by their names (leadhook(1), lead import). */
#include "unit.h"
#include "with_pool.h"

#include "transfer/definition_names.h"

static const struct tag tags[] = { { .id = 1, .name = SLICE("vip") }, { .id = 2, .name = SLICE("a, b") },
	{ .id = 5, .name = SLICE("VIP") } };
static const struct action actions[] = { { .id = 7, .text = SLICE("say hi") }, { .id = 9, .text = SLICE("say hi") } };
static const struct definitions definitions = { .tags = tags, .tag_count = 3, .actions = actions, .action_count = 2 };

static void
each_is_in_a_set_once(void **state UNUSED)
{
	static const char *const added[] = { "vip", "a, b", "VIP", "vip", "a, b" };
	const struct names names = names_of_tags(pool, &definitions);
	struct name_set set = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(added); i++)
		assert_true(name_set_add(pool, &set, &names, slice_of(added[i])));
	assert_slice(name_set_list(pool, &set), "1,2,5");
}

static void
other_names_are_unknown(void **state UNUSED)
{
	static const char *const unknown[] = { "", "a", "vi", "viq", "zzz" };
	const struct names names = names_of_tags(pool, &definitions), none = { NULL, 0 };
	struct name_set set = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_false(name_set_add(pool, &set, &names, slice_of(unknown[i])));
	assert_false(name_set_add(pool, &set, &none, SLICE("vip")));
	assert_false(slice_present(name_set_list(pool, &set)));
}

/* Exports may write tags in a different case. */
static void
cases_of_letters_make_no_difference(void **state UNUSED)
{
	static const char *const added[] = { "Vip", "viP", "VIP", "A, b" };
	const struct names names = names_of_tags(pool, &definitions);
	struct name_set set = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(added); i++)
		assert_true(name_set_add(pool, &set, &names, slice_of(added[i])));
	assert_slice(name_set_list(pool, &set), "1,5,2");
}

static void
of_equal_names_the_older_is_found(void **state UNUSED)
{
	const struct names names = names_of_actions(pool, &definitions);
	struct name_set set = { 0 };
	assert_true(name_set_add(pool, &set, &names, SLICE("say hi")));
	assert_slice(name_set_list(pool, &set), "7");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_is_in_a_set_once, begin, end),
		cmocka_unit_test_setup_teardown(other_names_are_unknown, begin, end),
		cmocka_unit_test_setup_teardown(cases_of_letters_make_no_difference, begin, end),
		cmocka_unit_test_setup_teardown(of_equal_names_the_older_is_found, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
