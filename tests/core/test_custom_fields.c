/* SPDX-License-Identifier: MIT
 * Names of custom fields (contract 4.4); what becomes of the fields is in test_decide.c. */
#include "unit.h"
#include "with_pool.h"

#include "core/custom_fields.h"

/* "lower case, nothing else changed" */
static void
names_become_lower_case_in_every_script(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "plan", "plan" },
		{ "Favourite Color!", "favourite color!" },
		{ "N\xc3\x84ME", "n\xc3\xa4me" },
		{ "\xd0\x98\xd0\xbc\xd1\x8f", "\xd0\xb8\xd0\xbc\xd1\x8f" },
		{ "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8" },
		/* no language: a dotless i is none of ours */
		{ "PLAN I", "plan i" },
		/* not normalised: a letter and its accent stay two characters */
		{ "A\xcc\x88 \xef\xac\x81", "a\xcc\x88 \xef\xac\x81" },
		/* KELVIN SIGN is a letter k: "\u212aid" cannot pass for another name than "kid" */
		{ "\xe2\x84\xaaID", "kid" },
		/* no lower case */
		{ "\xe5\x90\x8d\xe5\x89\x8d", "\xe5\x90\x8d\xe5\x89\x8d" },
		{ "stra\xc3\x9f\x65", "stra\xc3\x9f\x65" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice name = custom_field_name(pool, slice_of(cases[i][0]));
		assert_slice(name, cases[i][1]);
		assert_slice(custom_field_name(pool, name), cases[i][1]);
	}
}

/* LATIN CAPITAL LETTER A WITH STROKE has two bytes, its lower case three. */
static void
a_name_may_become_longer(void **state UNUSED)
{
	assert_slice(custom_field_name(pool, SLICE("\xc8\xba\xc8\xba")), "\xe2\xb1\xa5\xe2\xb1\xa5");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_lower_case_in_every_script),
		cmocka_unit_test(a_name_may_become_longer),
	};
	return cmocka_run_group_tests_name("custom_fields", tests, begin, end);
}
