/* SPDX-License-Identifier: MIT
 * Booleans as text (docs/api.md 1). */
#include "unit.h"

#include "base/boolean.h"

static void
booleans_have_one_vocabulary(void **state)
{
	(void)state;
	static const char *const words[][2] = { { "no", "yes" }, { "false", "true" }, { "off", "on" }, { "0", "1" },
		{ "n", "y" }, { "f", "t" }, { "FALSE", "TRUE" }, { "Off", "On" }, { "nO", "yEs" }, { "FALSCH", "WAHR" },
		{ "faux", "vrai" }, { "falso", "verdadero" }, { "Falso", "Vero" }, { "onwaar", "waar" } };
	static const char *const none[] = { "", " ", "yes ", "ye", "noo", "2", "-1", "00", "null", "none", "undefined" };
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (int truth = 0; truth < 2; truth++) {
			bool value = truth == 0;
			assert_true(boolean_parse(slice_of(words[i][truth]), &value));
			assert_int_equal(value, truth == 1);
		}
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		bool value = true;
		assert_false(boolean_parse(slice_of(none[i]), &value));
		assert_true(value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(booleans_have_one_vocabulary) };
	return cmocka_run_group_tests_name("base/boolean", tests, NULL, NULL);
}
