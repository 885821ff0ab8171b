/* SPDX-License-Identifier: MIT */
#include "unit.h"
#include "with_pool.h"

#include <sys/stat.h>

#include "os/zone.h"

static void
zones_have_names(void **state UNUSED)
{
	static const char *const known[] = { "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince",
		"Etc/GMT+5" };
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!zone_is_known(pool, slice_of(known[i])))
			fail_msg("%s", known[i]);
}

/* A text that leads out of the database's folder, or does not have the form of a name, is not a zone, even on a host without
 * the database. */
static void
other_texts_are_no_zones(void **state UNUSED)
{
	static const char *const others[] = { "", "/", "/Europe/Berlin", "Europe/", "Europe//Berlin", "../zoneinfo/UTC",
		"Europe/../UTC", ".", "zone.tab", "tzdata.zi", "+01:00", "UTC ", " UTC", "Europe/Berlin\n",
		"posix/Europe/Berlin", "right/UTC", "posixrules", "localtime", "leapseconds",
		"Europe/BerlinBerlinBerlinBerlinBerlinBerlinBerlinBerlinBerlinBerlin" };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (zone_is_known(pool, slice_of(others[i])))
			fail_msg("\"%s\"", others[i]);
	assert_false(zone_is_known(pool, SLICE("UTC\0x")));
}

static void
only_zones_of_the_database(void **state UNUSED)
{
	struct stat found;
	if (stat("/usr/share/zoneinfo/UTC", &found) != 0)
		skip();
	assert_false(zone_is_known(pool, SLICE("Europe")));
	assert_false(zone_is_known(pool, SLICE("Europe/Atlantis")));
	assert_false(zone_is_known(pool, SLICE("europe/berlin")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zones_have_names),
		cmocka_unit_test(other_texts_are_no_zones),
		cmocka_unit_test(only_zones_of_the_database),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
