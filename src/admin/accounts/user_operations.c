/* SPDX-License-Identifier: MIT
 * Users of the dashboard (docs/users.md 1, 2). */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "identity/email.h"
#include "identity/user_token.h"
#include "operation/value_types.h"
#include "store/users/sessions.h"
#include "store/users/users.h"
#include "webhook/delivery.h"

enum { SHELL_LINK_MS = 3600 * 1000 };

/* ---- the caller ---- */

static struct user_manager
manager_of(const struct admin_call *call)
{
	const struct caller *caller = call->caller;
	struct user_manager manager = user_manager_shell;
	if (caller == NULL)
		return manager;
	manager = (struct user_manager){ .account_id = caller->account_id,
		.rights = caller->rights,
		.users_max = admin_maximum(call, call->conf->limits.users_per_account) };
	for (size_t i = 0; i < caller->campaign_count; i++)
		manager.campaigns = pool_printf(
		    call->pool, "%.*s%s%" PRIu64, SLICE_ARGS(manager.campaigns), i == 0 ? "" : ",", caller->campaigns[i]);
	return manager;
}

static int
fail_refused(struct admin_call *call, enum user_refusal refusal)
{
	static const struct {
		enum admin_problem problem;
		const char *text;
	} refusals[] = {
		[USER_EMAIL_TAKEN] = { PROBLEM_CONFLICT, "there is a user with this address" },
		[USER_NO_ACCOUNT] = { PROBLEM_NOT_FOUND, "there is no such account" },
		[USER_WRONG_ROLE] = { PROBLEM_INVALID, "an operator belongs to no account, any other user to one" },
		[USER_NO_CAMPAIGNS] = { PROBLEM_INVALID, "only editors and viewers can be restricted to campaigns" },
		[USER_NO_CAMPAIGN] = { PROBLEM_INVALID, "the account has no campaign of these ids" },
		[USER_BEYOND_RIGHTS] = { PROBLEM_FORBIDDEN, "the user has, or would get, more rights than the caller has" },
		[USER_TOO_MANY] = { PROBLEM_CONFLICT, ADMIN_TOO_MANY("users") },
		[USER_LAST_OPERATOR] = { PROBLEM_CONFLICT, "the last operator can be removed or disabled on the host alone" },
	};
	if (refusal == USER_REFUSED) /* by the settings, which have reported it */
		return EX_DATAERR;
	return admin_fail(call, refusals[refusal].problem, "%s", refusals[refusal].text);
}

static int
answer_id(struct admin_call *call, enum result result, enum user_refusal refusal)
{
	return result == RESULT_INVALID ? fail_refused(call, refusal) : admin_answer_id(call, result, call->id);
}

/* ---- values ---- */

static bool
read_role(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return role_parse(text, place);
}

/* As the column has them: in order, each once. */
static bool
read_campaigns(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	uint64_t *ids = POOL_ARRAY(pool, USER_CAMPAIGNS_MAX, uint64_t);
	struct slice item, list = SLICE_NONE;
	size_t count = 0;
	while (slice_next_item(&text, &item)) {
		*bad = item;
		if (count == USER_CAMPAIGNS_MAX || !admin_is_id(item, &ids[count++]))
			return false;
	}
	const struct id_set set = id_set(ids, count);
	for (size_t i = 0; i < set.count; i++)
		if (i == 0 || set.ids[i] != set.ids[i - 1])
			list = pool_printf(pool, "%.*s%s%" PRIu64, SLICE_ARGS(list), i == 0 ? "" : ",", set.ids[i]);
	*(struct slice *)place = list;
	return true;
}

#define CAMPAIGNS_EXPECTED "ids of campaigns with commas, at most 1000; none: all of the account"
#define ROLE_EXPECTED "operator, owner, editor or viewer"
#define NAME_EXPECTED "1 to 200 characters"
#define PLACE(member) offsetof(struct user_settings, member)
static const struct value_setting setting_rows[] = {
	{ "name", value_trimmed, PLACE(name), NAME_EXPECTED },
	{ "role", read_role, PLACE(role), ROLE_EXPECTED },
	{ "campaigns", read_campaigns, PLACE(campaigns), CAMPAIGNS_EXPECTED },
};
static const struct value_option option_rows[] = {
	{ OPTION_NAME, value_trimmed, PLACE(name), NAME_EXPECTED },
	{ OPTION_ROLE, read_role, PLACE(role), ROLE_EXPECTED },
	{ OPTION_CAMPAIGNS, read_campaigns, PLACE(campaigns), CAMPAIGNS_EXPECTED },
};
#undef PLACE
const struct value_settings admin_user_settings = {
	.rows = setting_rows, .count = ARRAY_SIZE(setting_rows), .owner = "a user"
};

/* The account of --account, else that of the caller; 0: none. */
static bool
read_account(struct admin_call *call, uint64_t *account_id)
{
	static const struct value_option account = { OPTION_ACCOUNT, value_id, 0, "the id of an account" };
	*account_id = caller_account(call->caller);
	return values_take(call, &account, 1, account_id);
}

/* ---- output ---- */

static void
output_user(struct output *output, const struct user_row *user)
{
	output_record(output);
	output_u64(output, "id", user->id);
	output_u64_or_null(output, "account", user->account_id);
	output_text(output, "email", user->email);
	output_text(output, "name", user->settings.name);
	output_text(output, "role", role_name(user->settings.role));
	output_id_list(output, "campaigns", user->settings.campaigns);
	output_boolean(output, "has_password", user->has_password);
	output_boolean(output, "has_totp", user->has_totp);
	output_time(output, "created_at", user->created_ms);
	output_time(output, "last_login_at", user->last_login_ms);
	output_time(output, "disabled_at", user->disabled_ms);
}

/* A link for the user, whose token is stored nowhere. */
static struct slice
make_link(struct admin_call *call, enum invitation_purpose purpose, struct new_invitation *made)
{
	const struct slice token = user_token_make(call->pool);
	const struct digest hash = user_token_hash(token);
	*made = (struct new_invitation){ .purpose = purpose,
		.valid_ms = call->is_remote ? call->conf->users.invitation : SHELL_LINK_MS };
	memcpy(made->hash, hash.bytes, sizeof(made->hash));
	return user_token_link(call->pool, slice_of(call->conf->server.base_url), token);
}

/* ---- commands ---- */

int
admin_user_add(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	struct user_settings settings = { .role = ROLE_VIEWER };
	struct new_invitation invitation;
	enum user_refusal refusal;
	struct email email;
	uint64_t account_id;
	if (!values_take(call, option_rows, ARRAY_SIZE(option_rows), &settings) || !read_account(call, &account_id))
		return EX_DATAERR;
	if (!email_parse(call->pool, slice_of(call->operands[0]), &email))
		return admin_fail(call, PROBLEM_INVALID, "\"%s\" is not a valid email address", call->operands[0]);
	if (!slice_present(settings.name))
		settings.name = slice_sub(email.key, 0, slice_find(email.key, '@'));
	const struct slice link = make_link(call, INVITATION_WELCOME, &invitation);
	const enum result result =
	    store_add_user(call->store, &manager, account_id, email.key, &settings, &invitation, &call->id, &refusal);
	const int status = answer_id(call, result, refusal);
	if (status != EX_OK)
		return status;
	output_text(call->output, "email", email.key);
	output_secret(call->output, "link", link);
	return EX_OK;
}

int
admin_user_list(struct admin_call *call)
{
	struct list_part part;
	struct user_row *users;
	size_t count;
	uint64_t account_id;
	if (!read_account(call, &account_id) || !values_take_part(call, &part))
		return EX_DATAERR;
	if (call->caller != NULL && call->caller->campaign_count > 0)
		return admin_fail(call, PROBLEM_FORBIDDEN, "the caller is limited to campaigns, and users are the account's");
	const enum result result = store_list_users(call->store, call->pool, account_id, part, &users, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++)
		output_user(call->output, &users[i]);
	if (count > 0)
		admin_end_part(call, part, count, users[count - 1].id);
	return EX_OK;
}

int
admin_user_show(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	struct user_row user;
	const enum result result = store_find_user(call->store, call->pool, &manager, call->id, &user);
	if (result == RESULT_OK)
		output_user(call->output, &user);
	return admin_answer(call, result);
}

static bool
apply_settings(void *call, struct user_settings *settings)
{
	return values_apply(call, 1, settings);
}

int
admin_user_set(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	enum user_refusal refusal;
	const enum result result = store_edit_user(call->store, &manager, call->id, apply_settings, call, &refusal);
	if (result == RESULT_INVALID)
		return fail_refused(call, refusal);
	return result == RESULT_OK ? admin_user_show(call) : admin_answer(call, result);
}

int
admin_user_reset(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	struct new_invitation invitation;
	enum user_refusal refusal;
	const struct slice link = make_link(call, INVITATION_RESET, &invitation);
	const enum result result =
	    store_reset_user(call->store, &manager, call->id, &invitation, call->options[OPTION_TOTP] != NULL, &refusal);
	const int status = answer_id(call, result, refusal);
	if (status == EX_OK)
		output_secret(call->output, "link", link);
	return status;
}

/* The variant: whether to disable it. */
int
admin_user_disable(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	enum user_refusal refusal;
	const enum result result = store_disable_user(call->store, &manager, call->id, call->command->variant, &refusal);
	return answer_id(call, result, refusal);
}

int
admin_user_remove(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	enum user_refusal refusal;
	const enum result result = store_remove_user(call->store, &manager, call->id, &refusal);
	return answer_id(call, result, refusal);
}

int
admin_user_sessions(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	const struct session_limits limits = { call->conf->users.session_idle, call->conf->users.session_max };
	struct session_row *sessions;
	struct user_row user;
	size_t count;
	enum result result = store_find_user(call->store, call->pool, &manager, call->id, &user);
	if (result == RESULT_OK)
		result = store_list_sessions(call->store, call->pool, call->id, &limits, &sessions, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++) {
		const bool is_text = utf8_valid(sessions[i].user_agent);
		output_record(call->output);
		output_text(call->output, "id", encode_hex(call->pool, sessions[i].hash));
		output_time(call->output, "created_at", sessions[i].created_ms);
		output_time(call->output, "last_used_at", sessions[i].last_used_ms);
		output_text(call->output, "ip", sessions[i].ip);
		output_text(call->output, "user_agent", is_text ? sessions[i].user_agent : SLICE_NONE);
	}
	return EX_OK;
}

int
admin_user_logout(struct admin_call *call)
{
	const struct user_manager manager = manager_of(call);
	enum user_refusal refusal;
	uint64_t count = 0;
	const enum result result = store_log_out_user(call->store, &manager, call->id, &count, &refusal);
	const int status = answer_id(call, result, refusal);
	if (status == EX_OK)
		output_u64(call->output, "sessions", count);
	return status;
}
