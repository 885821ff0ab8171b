/* SPDX-License-Identifier: MIT */
#include "identity/role.h"

static const struct {
	struct slice name;
	rights rights;
	bool takes_campaigns;
} roles[ROLES] = {
	[ROLE_OPERATOR] = { SLICE("operator"), RIGHTS_ALL, false },
	[ROLE_OWNER] = { SLICE("owner"), RIGHTS_OWNER, false },
	[ROLE_EDITOR] = { SLICE("editor"), RIGHTS_EDITOR, true },
	[ROLE_VIEWER] = { SLICE("viewer"), RIGHTS_VIEWER, true },
};

struct slice
role_name(enum role role)
{
	return roles[role].name;
}

bool
role_parse(struct slice text, enum role *role)
{
	for (unsigned i = 0; i < ROLES; i++)
		if (slice_equal(text, roles[i].name)) {
			*role = (enum role)i;
			return true;
		}
	return false;
}

rights
role_rights(enum role role)
{
	return roles[role].rights;
}

bool
role_takes_campaigns(enum role role)
{
	return roles[role].takes_campaigns;
}
