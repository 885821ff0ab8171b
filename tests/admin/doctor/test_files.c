/* SPDX-License-Identifier: MIT
 * docs/operating.md 13, disk_space: shares of a small file system, and an amount that is enough for any large one. */
#include "unit.h"

#include "admin/doctor/files.h"

#define GIB (UINT64_C(1) << 30)

static void
space_ends_by_share_and_amount(void **state UNUSED)
{
	static const struct {
		uint64_t total, available, inodes, free_inodes;
		int fullness;
	} cases[] = {
		{ 100 * GIB, 50 * GIB, 1000, 500, 0 }, { 20 * GIB, 2 * GIB, 1000, 500, 0 }, { 20 * GIB, GIB / 2, 1000, 500, 1 },
		{ 20 * GIB, GIB / 5, 1000, 500, 2 }, { 20 * GIB, 0, 1000, 500, 2 },
		{ 2000 * GIB, 20 * GIB, 1000, 500, 0 },                                    /* a hundredth, but plenty */
		{ 2000 * GIB, 3 * GIB, 1000, 500, 2 }, { 4 << 20, 1 << 20, 1000, 500, 0 }, /* a small one */
		{ 20 * GIB, 10 * GIB, 1000, 10, 2 }, /* without inodes no file can be created */
		{ 20 * GIB, 10 * GIB, 0, 0, 0 },     /* some file systems have no number of inodes */
		{ 0, 0, 0, 0, 0 },                   /* and some have no size */
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(disk_fullness(cases[i].total, cases[i].available, cases[i].inodes, cases[i].free_inodes),
		    cases[i].fullness);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(space_ends_by_share_and_amount) };
	return cmocka_run_group_tests_name("admin/doctor/files", tests, NULL, NULL);
}
