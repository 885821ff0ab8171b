/* SPDX-License-Identifier: MIT */
#include "os/zone.h"

#include <sys/stat.h>

#define DATABASE "/usr/share/zoneinfo/"

/* Other entries of the database's folder: copies of all zones, and its own files. */
static const struct slice others[] = { SLICE("posix"), SLICE("right"), SLICE("posixrules"), SLICE("localtime"),
	SLICE("leapseconds"), SLICE("Factory") };

/* Parts made of letters, digits, _, + and -, separated by slashes. None leads to another folder. */
static bool
has_form(struct slice name)
{
	struct slice rest = name, part, first = SLICE_NONE;
	if (name.size == 0 || name.size > ZONE_NAME_MAX || name.data[name.size - 1] == '/')
		return false;
	while (slice_next(&rest, '/', &part)) {
		if (part.size == 0 || !ascii_is_alpha(part.data[0]) || !slice_is_alnum(part, "_+-"))
			return false;
		if (!slice_present(first))
			first = part;
	}
	return !slice_is_one_of(first, others, ARRAY_SIZE(others));
}

bool
zone_is_known(struct pool *pool, struct slice name)
{
	struct stat found;
	if (!has_form(name))
		return false;
	if (stat(DATABASE "UTC", &found) != 0)
		return true; /* no database */
	return stat(pool_string(pool, POOL_JOIN(pool, SLICE(DATABASE), name)), &found) == 0 && S_ISREG(found.st_mode);
}
