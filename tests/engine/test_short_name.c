/* SPDX-License-Identifier: MIT
 * docs/api.md 4.1.2, Names: what strangers see of a name on a leaderboard. Modules: engine/person_name. */
#include "unit.h"

#include "base/pool.h"
#include "engine/person_name.h"

static struct pool *pool;

static int
make_pool(void **state UNUSED)
{
	pool = pool_new();
	return 0;
}

static int
free_pool(void **state UNUSED)
{
	pool_free(&pool);
	return 0;
}

static const struct {
	const char *given, *family, *initial, *first;
} cases[] = {
	{ "Nora", "Berg", "Nora B.", "Nora" },
	{ "Nora", NULL, "Nora", "Nora" },
	{ NULL, "Berg", "B.", "B." },
	{ NULL, NULL, NULL, NULL },
	/* several words, also within one field */
	{ "Nora", "Anna Berg", "Nora B.", "Nora" },
	{ "Nora", "van der Berg", "Nora B.", "Nora" },
	{ "Nora Berg", NULL, "Nora B.", "Nora" },
	{ "Nora Berg", "Berg", "Nora B.", "Nora" },
	{ "Anna-Lena", "Berg-Lund", "Anna-Lena B.", "Anna-Lena" },
	/* white space of any script, and fields with no other characters */
	{ "  Nora\t",
	    " \xc2\xa0"
	    "Berg ",
	    "Nora B.", "Nora" },
	{ "Nora\xe3\x80\x80"
	  "Berg",
	    NULL, "Nora B.", "Nora" },
	{ "", " ", NULL, NULL },
	{ "Nora", "(Berg)", "Nora B.", "Nora" },
	{ "Nora", "123 ***", "Nora", "Nora" },
	{ "4711", "0", NULL, NULL },
	/* letters of several bytes, with marks */
	{ "Zo\xc3\xab", "\xc3\x96zt\xc3\xbcrk", "Zo\xc3\xab \xc3\x96.", "Zo\xc3\xab" },
	{ "Nora", "O\xcc\x88zt", "Nora O\xcc\x88.", "Nora" },
	{ "\xd0\x9d\xd0\xb8\xd0\xbd\xd0\xb0", "\xd0\x91\xd0\xb5", "\xd0\x9d\xd0\xb8\xd0\xbd\xd0\xb0 \xd0\x91.",
	    "\xd0\x9d\xd0\xb8\xd0\xbd\xd0\xb0" },
	/* right-to-left scripts: in reading order */
	{ "\xd7\xa0\xd7\x95\xd7\xa8\xd7\x94 \xd7\x91\xd7\xa8\xd7\x92", NULL, "\xd7\xa0\xd7\x95\xd7\xa8\xd7\x94 \xd7\x91.",
	    "\xd7\xa0\xd7\x95\xd7\xa8\xd7\x94" },
	/* scripts without spaces: Japanese, Chinese, Korean; in separate fields; a single character */
	{ "\xe5\xb1\xb1\xe7\x94\xb0\xe5\xa4\xaa\xe9\x83\x8e", NULL, "\xe5\xb1\xb1***", "\xe5\xb1\xb1***" },
	{ "\xe7\x8e\x8b\xe5\xb0\x8f\xe6\x98\x8e", NULL, "\xe7\x8e\x8b***", "\xe7\x8e\x8b***" },
	{ "\xea\xb9\x80\xeb\xaf\xbc\xec\x88\x98", NULL, "\xea\xb9\x80***", "\xea\xb9\x80***" },
	{ "\xe5\xa4\xaa\xe9\x83\x8e", "\xe5\xb1\xb1\xe7\x94\xb0", "\xe5\xa4\xaa\xe9\x83\x8e \xe5\xb1\xb1.",
	    "\xe5\xa4\xaa\xe9\x83\x8e" },
	{ "\xe7\x8e\x8b", NULL, "\xe7\x8e\x8b", "\xe7\x8e\x8b" },
};

static void
names_are_shortened(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct slice given = slice_of(cases[i].given), family = slice_of(cases[i].family);
		assert_slices_equal(short_name(pool, given, family, LEADERBOARD_INITIAL), slice_of(cases[i].initial));
		assert_slices_equal(short_name(pool, given, family, LEADERBOARD_FIRST), slice_of(cases[i].first));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_shortened) };
	return cmocka_run_group_tests_name("engine/short_name", tests, make_pool, free_pool);
}
