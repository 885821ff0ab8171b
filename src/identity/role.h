/* SPDX-License-Identifier: MIT
 * The roles of users: names of sets of rights (docs/users.md 2). The numbers are stored. */
#pragma once

#include "identity/rights.h"

/* An operator belongs to no account; the others belong to one. */
enum role { ROLE_OPERATOR, ROLE_OWNER, ROLE_EDITOR, ROLE_VIEWER, ROLES };

/* "operator", "owner", "editor", "viewer". */
struct slice role_name(enum role role);
MUST_CHECK bool role_parse(struct slice text, enum role *role);
rights role_rights(enum role role);
/* Whether users of this role may be restricted to some campaigns of their account. */
bool role_takes_campaigns(enum role role);
