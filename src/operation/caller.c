/* SPDX-License-Identifier: MIT */
#include "operation/caller.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"

bool
caller_is_operator(const struct caller *caller)
{
	return caller == NULL || caller->operator;
}

rights
caller_rights(const struct caller *caller)
{
	return caller == NULL ? RIGHTS_ALL : caller->rights;
}

bool
caller_has_right(const struct caller *caller, enum right right)
{
	return (caller_rights(caller) & (rights)right) != 0;
}

uint64_t
caller_account(const struct caller *caller)
{
	return caller == NULL ? 0 : caller->account_id;
}

static bool
is_listed(const struct caller *caller, uint64_t campaign_id)
{
	for (size_t i = 0; i < caller->campaign_count; i++)
		if (caller->campaigns[i] == campaign_id)
			return true;
	return false;
}

bool
caller_sees(const struct caller *caller, uint64_t account_id, uint64_t campaign_id)
{
	if (caller_is_operator(caller))
		return true;
	return account_id == caller->account_id &&
	       (campaign_id == 0 || caller->campaign_count == 0 || is_listed(caller, campaign_id));
}

/* The name of a shell, from the environment, which may contain any bytes. */
static struct slice
shell_name(struct pool *pool)
{
	const char *name = getenv("SUDO_USER") != NULL ? getenv("SUDO_USER") : getenv("LOGNAME");
	const struct slice text = name != NULL ? slice_of(name) : SLICE_NONE;
	return text.size > 0 && utf8_valid(text) && !utf8_has_control(text) ? text
									    : pool_printf(pool, "uid %u", (unsigned)getuid());
}

struct slice
caller_name(struct pool *pool, const struct caller *caller)
{
	return caller == NULL ? shell_name(pool) : caller->name;
}

struct slice
caller_shown(struct pool *pool, const struct caller *caller)
{
	static const char *const kinds[] = { [CALLER_SHELL] = "shell", [CALLER_KEY] = "key", [CALLER_USER] = "user" };
	const char *kind = kinds[caller == NULL ? CALLER_SHELL : caller->kind];
	const struct slice name = caller_name(pool, caller);
	return slice_present(name) ? pool_printf(pool, "%s %.*s", kind, SLICE_ARGS(name))
				   : pool_printf(pool, "%s %" PRIu64, kind, caller->id);
}
