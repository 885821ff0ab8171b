/* SPDX-License-Identifier: MIT
 * server.secrets_key (leadhook.conf(5)): only lists of keys that can be used are accepted, and no key is shown.
 * Modules: conf, crypto/seal. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "crypto/seal.h"

#define KEY "0123456789abcdefABCDEF00000000000000000000000000000000000000ffff"
#define EIGHT KEY " " KEY "," KEY " " KEY " " KEY " " KEY " " KEY " " KEY

static char path[] = "test_keys.XXXXXX";

/* conf must accept exactly what crypto/seal.h accepts, because the store does not check it again. */
static void
lists_that_can_be_used_are_accepted(void **state)
{
	static const struct {
		const char *list;
		bool good;
	} cases[] = { { "", true }, { KEY, true }, { EIGHT, true }, { EIGHT " " KEY, false }, { KEY "0", false },
		{ "0123", false }, { "g123456789abcdefABCDEF00000000000000000000000000000000000000ffff", false },
		{ KEY " " KEY "x", false } };
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct conf *conf;
		struct buffer problems;
		struct seal_keys *keys = seal_keys_new(slice_of(cases[i].list));
		assert_int_equal(
		    setenv("LEADHOOK_SERVER_SECRETS_KEY", cases[i].list, 1), 0); /* too long for a line of the file */
		buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
		assert_int_equal(conf_load(path, &conf, &problems), cases[i].good);
		assert_int_equal(keys != NULL, cases[i].good);
		if (cases[i].good)
			assert_string_equal(conf->server.secrets_key, cases[i].list);
		else
			assert_null(memmem(problems.data, problems.size, "0123", 4)); /* "never with a secret's value" */
		conf_free(&conf);
		seal_keys_free(&keys);
		buffer_free(&problems);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(lists_that_can_be_used_are_accepted) };
	const int descriptor = mkstemp(path);
	if (descriptor < 0)
		return EXIT_FAILURE;
	close(descriptor);
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
