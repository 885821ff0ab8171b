/* SPDX-License-Identifier: MIT
 * The rights of callers (docs/manage.md 2). An object that the caller may not see is an object that does not exist. */
#include "manage/request.h"

/* Names of path parameters, options and members, and what they are the ids of. Any other is no id of an object with an owner.
 */
static const struct {
	struct slice name;
	enum owned_kind kind;
} objects[] = {
	{ SLICE("account"), OWNED_ACCOUNT },
	{ SLICE("key"), OWNED_KEY },
	{ SLICE("campaign"), OWNED_CAMPAIGN },
	{ SLICE("tag"), OWNED_TAG },
	{ SLICE("action"), OWNED_ACTION },
	{ SLICE("reward"), OWNED_REWARD },
	{ SLICE("webhook"), OWNED_WEBHOOK },
	{ SLICE("delivery"), OWNED_DELIVERY },
	{ SLICE("deliveries"), OWNED_DELIVERY },
	{ SLICE("inbound"), OWNED_INBOUND },
	{ SLICE("call"), OWNED_CALL },
	{ SLICE("mail"), OWNED_MAIL },
	{ SLICE("mails"), OWNED_MAIL },
	{ SLICE("user"), OWNED_USER },
	{ SLICE("job"), OWNED_JOB },
};

/* "this needs the rights hooks and leads" */
static struct slice
shown_needs(struct pool *pool, const struct admin_command *command)
{
	size_t count;
	const struct slice *words = rights_words(pool, command->rights, &count);
	struct slice text = count > 1 ? SLICE("this needs the rights ") : SLICE("this needs the right ");
	for (size_t i = 0; i < count; i++)
		text = POOL_JOIN(pool, text,
		    i == 0                ? SLICE("")
		    : command->all_rights ? SLICE(" and ")
					  : SLICE(" or "),
		    words[i]);
	return text;
}

bool
request_may_run(struct manage_request *request)
{
	const struct admin_command *command = request->command;
	if (!rights_suffice(request->caller.rights, command->rights, command->all_rights))
		return request_fail_status(request, 403, "missing_right", shown_needs(request->http->pool, command));
	if (command->operator_only && !caller_is_operator(&request->caller))
		return request_fail_status(request, 403, "operator_only", SLICE("only an operator may do this"));
	if (command->admits && request->caller.expires_ms > 0)
		return request_fail_status(
		    request, 403, "forbidden", SLICE("a key that expires makes nothing that lets others in after its end"));
	return !command->confirmed || request_is_confirmed(request);
}

static bool
fail_result(struct manage_request *request, enum result result)
{
	if (result == RESULT_UNAVAILABLE)
		return request_fail(request, PROBLEM_UNAVAILABLE, SLICE_NONE, "the database is out of reach; try again later");
	return request_fail(request, PROBLEM_INTERNAL, SLICE_NONE, "the request could not be answered");
}

/* Whether the caller may use what belongs to the account itself. */
static bool
check_account(struct manage_request *request)
{
	if (request->caller.campaign_count == 0)
		return true;
	return request_fail_status(
	    request, 403, "missing_right", SLICE("the caller is limited to campaigns, and this is not one campaign's"));
}

static bool
check(struct manage_request *request, struct slice name, enum owned_kind kind, struct slice text, struct owner *owner)
{
	uint64_t id;
	const struct slice shown = kind == OWNED_DELIVERY ? SLICE("delivery") : kind == OWNED_MAIL ? SLICE("mail") : name;
	enum result result = RESULT_NOT_FOUND;
	if (admin_is_id(text, &id))
		result = store_find_owner(request->manage->store, kind, id, owner);
	if (result == RESULT_OK && !caller_sees(&request->caller, owner->account_id, owner->campaign_id))
		result = RESULT_NOT_FOUND;
	if (result == RESULT_NOT_FOUND)
		return request_fail(request, PROBLEM_NOT_FOUND, SLICE_NONE, "there is no such %.*s", SLICE_ARGS(shown));
	if (result != RESULT_OK)
		return fail_result(request, result);
	return owner->campaign_id != 0 || check_account(request);
}

static bool
sees(struct manage_request *request, struct slice name, struct slice id, struct owner *owner)
{
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		if (slice_equal(name, objects[i].name))
			return check(request, name, objects[i].kind, id, owner);
	return true;
}

bool
request_sees(struct manage_request *request, struct slice name, struct slice id)
{
	struct owner owner = { 0 };
	return sees(request, name, id, &owner);
}

bool
request_sees_path(struct manage_request *request)
{
	for (size_t i = 0; i < request->path_count; i++) {
		struct owner owner = { 0 };
		if (!sees(request, request->path[i].name, request->path[i].text, &owner))
			return false;
		if (owner.campaign_id != 0)
			request->campaign_id = owner.campaign_id;
	}
	return true;
}
