/* SPDX-License-Identifier: MIT
 * Without --enable-debug, require() does nothing (HACKING, "Building and testing"). Modules: base/panic. */
#undef LEADHOOK_DEBUG

#include "unit.h"

#include <stdbool.h>

#include "base/panic.h"

static bool evaluated;

static bool
evaluate(void)
{
	evaluated = true;
	return false;
}

static void
the_condition_is_not_evaluated(void **state)
{
	(void)state;
	require(evaluate());
	assert_false(evaluated);
	assert_false(evaluate());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_condition_is_not_evaluated),
	};
	return cmocka_run_group_tests_name("base/no_checks", tests, NULL, NULL);
}
