/* SPDX-License-Identifier: MIT
 * Random numbers. */
#include "unit.h"

#include "os/random.h"

static void
random_numbers_stay_below_their_bound(void **state UNUSED)
{
	unsigned seen = 0;
	for (int i = 0; i < 1000; i++) {
		uint64_t number = random_below(3);
		assert_true(number < 3);
		seen |= 1u << number;
	}
	assert_int_equal(seen, 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers_stay_below_their_bound),
	};
	return cmocka_run_group_tests_name("os/random", tests, NULL, NULL);
}
