/* SPDX-License-Identifier: MIT
 * How callers are shown. */
#include "unit.h"

#include <stdlib.h>

#include "operation/caller.h"

/* docs/operating.md 4.1, made_by */
static void
callers_are_shown(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	const struct caller user = { .kind = CALLER_USER, .id = 3, .name = SLICE("ada@example.org") };
	const struct caller key = { .kind = CALLER_KEY, .id = 7 };
	assert_slice(caller_shown(pool, &user), "user ada@example.org");
	assert_slice(caller_shown(pool, &key), "key 7");
	assert_int_equal(setenv("LOGNAME", "root", 1), 0);
	assert_int_equal(setenv("SUDO_USER", "grace", 1), 0);
	assert_slice(caller_shown(pool, NULL), "shell grace");
	assert_int_equal(unsetenv("SUDO_USER"), 0);
	assert_slice(caller_shown(pool, NULL), "shell root");
	assert_int_equal(setenv("LOGNAME", "\xff", 1), 0);
	assert_true(slice_starts_with(caller_shown(pool, NULL), SLICE("shell uid ")));
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_shown),
	};
	return cmocka_run_group_tests_name("operation/caller", tests, NULL, NULL);
}
