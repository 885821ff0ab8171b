/* SPDX-License-Identifier: MIT */
#include "admin/caller.h"

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
