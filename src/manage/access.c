/* SPDX-License-Identifier: MIT
 * The rights of callers (docs/manage.md 2). For a caller, objects that it may not see do not exist. */
#include "manage/access.h"

#include "manage/identity.h"
#include "operation/value_types.h"

/* "this needs the rights hooks and leads" */
static struct slice
shown_needs(struct pool *pool, const struct operation *operation)
{
	size_t count;
	const struct slice *words = rights_words(pool, operation->rights, &count);
	struct slice text = count > 1 ? SLICE("this needs the rights ") : SLICE("this needs the right ");
	for (size_t i = 0; i < count; i++)
		text = POOL_JOIN(pool, text,
		    i == 0                  ? SLICE("")
		    : operation->all_rights ? SLICE(" and ")
					    : SLICE(" or "),
		    words[i]);
	return text;
}

bool
request_may_run(struct manage_request *request)
{
	const struct operation *operation = request->operation;
	if (!rights_suffice(request->caller.rights, operation->rights, operation->all_rights))
		return request_fail_status(request, 403, "missing_right", shown_needs(request->http->pool, operation));
	if (operation->audience == FOR_OPERATORS && !caller_is_operator(&request->caller))
		return request_fail_status(request, 403, "operator_only", SLICE("only an operator may do this"));
	if (operation->access == GRANTS_ACCESS && request->caller.expires_ms > 0)
		return request_fail_status(
		    request, 403, "forbidden", SLICE("a key that expires makes nothing that lets others in after its end"));
	return !operation->needs_password || request_demand_confirmation(request);
}

static bool
fail_result(struct manage_request *request, enum result result)
{
	if (result == RESULT_UNAVAILABLE)
		return request_fail(request, PROBLEM_UNAVAILABLE, SLICE_NONE, "the database is out of reach; try again later");
	return request_fail(request, PROBLEM_INTERNAL, SLICE_NONE, "the request could not be answered");
}

/* Whether the caller may use objects that belong to the account as a whole. */
static bool
check_account(struct manage_request *request)
{
	if (request->caller.campaign_count == 0)
		return true;
	return request_fail_status(
	    request, 403, "missing_right", SLICE("the caller is limited to campaigns, and this is not one campaign's"));
}

bool
request_sees(struct manage_request *request, struct slice name, enum owned_kind kind, struct slice id, struct owner *owner)
{
	uint64_t number;
	enum result result = RESULT_NOT_FOUND;
	if (value_is_id(id, &number))
		result = store_find_owner(request->manage->options.login.store, kind, number, owner);
	if (result == RESULT_OK && !caller_sees(&request->caller, owner->account_id, owner->campaign_id))
		result = RESULT_NOT_FOUND;
	if (result == RESULT_NOT_FOUND)
		return request_fail(request, PROBLEM_NOT_FOUND, SLICE_NONE, "there is no such %.*s", SLICE_ARGS(name));
	if (result != RESULT_OK)
		return fail_result(request, result);
	return owner->campaign_id != 0 || check_account(request);
}
