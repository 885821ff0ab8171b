/* SPDX-License-Identifier: MIT
 * Users of the dashboard (docs/users.md 1, 2). */
#include <string.h>

#include "base/duration.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "engine/id_list.h"
#include "identity/email.h"
#include "identity/random_secret.h"
#include "operation/operation.h"
#include "operation/value_types.h"
#include "store/users/user_sessions.h"
#include "store/users/users.h"

enum { SHELL_LINK_MS = HOUR_MS };

/* ---- the caller ---- */

static struct user_manager
manager_of(const struct operation_call *call)
{
	const struct caller *caller = call->caller;
	if (caller == NULL)
		return user_manager_shell;
	return (struct user_manager){ .account_id = caller->account_id,
		.rights = caller->rights,
		.campaigns = id_list_of(call->pool, caller->campaigns, caller->campaign_count),
		.users_max = operation_maximum(call, call->conf->limits.users_per_account) };
}

static int
fail_refused(struct operation_call *call, enum user_refusal refusal)
{
	static const struct {
		enum operation_problem problem;
		const char *text;
	} refusals[] = {
		[USER_EMAIL_TAKEN] = { PROBLEM_CONFLICT, "there is a user with this address" },
		[USER_NO_ACCOUNT] = { PROBLEM_NOT_FOUND, "there is no such account" },
		[USER_WRONG_ROLE] = { PROBLEM_INVALID, "an operator belongs to no account, any other user to one" },
		[USER_NO_CAMPAIGNS] = { PROBLEM_INVALID, "only editors and viewers can be restricted to campaigns" },
		[USER_NO_CAMPAIGN] = { PROBLEM_INVALID, "the account has no campaign of these ids" },
		[USER_BEYOND_RIGHTS] = { PROBLEM_FORBIDDEN, "the user has, or would get, more rights than the caller has" },
		[USER_TOO_MANY] = { PROBLEM_CONFLICT, TOO_MANY_IN_ACCOUNT("users") },
		[USER_LAST_OPERATOR] = { PROBLEM_CONFLICT, "the last operator can be removed or disabled on the host alone" },
	};
	if (refusal == USER_REFUSED) /* already reported */
		return EX_DATAERR;
	return operation_fail(call, refusals[refusal].problem, "%s", refusals[refusal].text);
}

static int
answer_id(struct operation_call *call, enum result result, enum user_refusal refusal)
{
	return result == RESULT_REFUSED ? fail_refused(call, refusal) : operation_answer_id(call, result, call->id);
}

/* ---- values ---- */

READ_TYPE(value_role, role_parse, enum role, "operator, owner, editor or viewer");

/* Makes the list as the column stores it: sorted, without repetitions. */
static bool
parse_campaigns(struct value_reading *reading, struct slice text, void *place)
{
	uint64_t *ids = POOL_ARRAY(reading->pool, USER_CAMPAIGNS_MAX, uint64_t);
	size_t count = 0, different = 0;
	while (slice_next_item(&text, &reading->invalid))
		if (count == USER_CAMPAIGNS_MAX || !value_is_id(reading->invalid, &ids[count++]))
			return false;
	(void)id_set(ids, count);
	for (size_t i = 0; i < count; i++)
		if (different == 0 || ids[i] != ids[different - 1])
			ids[different++] = ids[i];
	*(struct slice *)place = id_list_of(reading->pool, ids, different);
	return true;
}

static const struct value_type value_user_campaigns = { .parse = parse_campaigns,
	.size = sizeof(struct slice),
	.expected = "ids of campaigns with commas, at most 1000; none: all of the account",
	.form = VALUE_LIST,
	.empty_array = CAMPAIGNS_IN_ARRAY };

#define PLACE(member) offsetof(struct user_settings, member)
static const struct parameter setting_rows[] = {
	SETTING("name", value_title, PLACE(name)),
	SETTING("role", value_role, PLACE(role)),
	SETTING("campaigns", value_user_campaigns, PLACE(campaigns)),
};
#undef PLACE
static const struct settings_table settings_table = SETTINGS_OF(setting_rows, struct user_settings, "a user");

struct user_add {
	struct slice email;
	struct user_settings settings;
	uint64_t account_id; /* 0: the caller's */
};
#define PLACE(member) offsetof(struct user_add, member)
static const struct parameter add_parameters[] = {
	OPERAND("email", value_text, PLACE(email)),
	OPTION_WITH("role", value_role, PLACE(settings.role), PARAMETER_REQUIRED),
	OPTION("account", value_account, PLACE(account_id)),
	OPTION("campaigns", value_user_campaigns, PLACE(settings.campaigns)),
	OPTION("name", value_title, PLACE(settings.name)),
};
#undef PLACE

struct user_list {
	uint64_t account_id; /* 0: the caller's */
	struct list_part part;
};
static const struct parameter list_parameters[] = {
	OPTION("account", value_account, offsetof(struct user_list, account_id)),
	OPTION("limit", value_limit, offsetof(struct user_list, part.limit)),
	OPTION("after", value_after, offsetof(struct user_list, part.after)),
};
static const struct user_list list_defaults = { .part.limit = VALUE_LIMIT_DEFAULT };

static uint64_t
account_or_own(const struct operation_call *call, uint64_t account_id)
{
	return account_id != 0 ? account_id : caller_account(call->caller);
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

/* Makes a link that sets the user's password. Its token is stored nowhere, only the hash. */
static struct slice
make_link(struct operation_call *call, enum invitation_purpose purpose, struct new_invitation *made)
{
	const struct slice token = secret_make(call->pool, SECRET_USER);
	const struct digest hash = secret_hash(token);
	*made = (struct new_invitation){ .purpose = purpose,
		.valid_ms = call->is_remote ? call->conf->users.invitation : SHELL_LINK_MS };
	memcpy(made->hash, hash.bytes, sizeof(made->hash));
	return user_token_link(call->pool, slice_of(call->conf->server.base_url), token);
}

/* ---- operations ---- */

static int
run_user_add(struct operation_call *call)
{
	const struct user_manager manager = manager_of(call);
	const struct user_add *arguments = ARGUMENTS(call, struct user_add);
	struct new_user user = { .account_id = account_or_own(call, arguments->account_id), .settings = arguments->settings };
	struct email email;
	if (!email_parse(call->pool, arguments->email, &email))
		return operation_fail(
		    call, PROBLEM_INVALID, "\"%.*s\" is not a valid email address", SLICE_ARGS(arguments->email));
	user.email = email.key;
	if (!slice_present(user.settings.name))
		user.settings.name = slice_sub(email.key, 0, slice_find(email.key, '@'));
	const struct slice link = make_link(call, INVITATION_WELCOME, &user.invitation);
	const enum result result = store_add_user(call->store, &call->precondition, &manager, &user);
	call->id = user.id;
	const int status = answer_id(call, result, user.refusal);
	if (status != EX_OK)
		return status;
	output_text(call->output, "email", email.key);
	output_secret(call->output, "link", link);
	return EX_OK;
}

static int
run_user_list(struct operation_call *call)
{
	const struct user_list *arguments = ARGUMENTS(call, struct user_list);
	struct user_row *users;
	size_t count;
	if (call->caller != NULL && call->caller->campaign_count > 0)
		return operation_fail(
		    call, PROBLEM_FORBIDDEN, "the caller is limited to campaigns, and users are the account's");
	const enum result result = store_list_users(
	    call->store, call->pool, account_or_own(call, arguments->account_id), arguments->part, &users, &count);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		output_user(call->output, &users[i]);
	if (result == RESULT_OK && count == arguments->part.limit)
		operation_next_id(call, users[count - 1].id);
	return operation_answer(call, result);
}

static int
run_user_show(struct operation_call *call)
{
	const struct user_manager manager = manager_of(call);
	struct user_row user;
	const enum result result = store_find_user(call->store, call->pool, &manager, call->id, &user);
	if (result == RESULT_OK)
		output_user(call->output, &user);
	return operation_answer(call, result);
}

static bool
apply_settings(void *context, struct user_settings *settings)
{
	struct operation_call *call = context;
	settings_assign(call, settings);
	return true;
}

static int
run_user_set(struct operation_call *call)
{
	const struct user_manager manager = manager_of(call);
	struct user_change change = { .edit = apply_settings, .context = call };
	const enum result result = store_edit_user(call->store, &manager, call->id, &change);
	if (result == RESULT_REFUSED)
		return fail_refused(call, change.refusal);
	return result == RESULT_OK ? run_user_show(call) : operation_answer(call, result);
}

static const struct parameter reset_parameters[] = { OPTION("totp", value_on, 0) };

static int
run_user_reset(struct operation_call *call)
{
	const struct user_manager manager = manager_of(call);
	struct new_invitation invitation;
	enum user_refusal refusal;
	const struct slice link = make_link(call, INVITATION_RESET, &invitation);
	const enum reset_scope scope = *ARGUMENTS(call, bool) ? RESET_PASSWORD_AND_TOTP : RESET_PASSWORD;
	const enum result result = store_reset_user(call->store, &manager, call->id, scope, &invitation, &refusal);
	const int status = answer_id(call, result, refusal);
	if (status == EX_OK)
		output_secret(call->output, "link", link);
	return status;
}

enum { DISABLE, ENABLE, REMOVE }; /* variants of run_user_change */

static int
run_user_change(struct operation_call *call)
{
	static enum result (*const changes[])(struct store *, const struct user_manager *, uint64_t, enum user_refusal *) = {
		[DISABLE] = store_disable_user, [ENABLE] = store_enable_user, [REMOVE] = store_remove_user
	};
	const struct user_manager manager = manager_of(call);
	enum user_refusal refusal;
	const enum result result = changes[call->operation->variant](call->store, &manager, call->id, &refusal);
	return answer_id(call, result, refusal);
}

static int
run_user_sessions(struct operation_call *call)
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
		return operation_answer(call, result);
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

static int
run_user_logout(struct operation_call *call)
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

OPERATION(user_add, "user add", "EMAIL --role ROLE [--account ID] [--campaigns LIST] [--name NAME]",
    "add a user, and print a link that sets a password", run_user_add, PARAMETERS(add_parameters, struct user_add),
    HTTP(POST, "users", RIGHT_ACCOUNT), .effect = CREATES, .access = GRANTS_ACCESS, .needs_password = true);
OPERATION(user_list, "user list", "[--account ID] [--limit N] [--after N]", "list the users", run_user_list,
    PARAMETERS(list_parameters, struct user_list), .defaults = &list_defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "users", RIGHT_ACCOUNT));
OPERATION(user_show, "user show", "USER", "show a user", run_user_show, .subject = &subject_user,
    HTTP(GET, "users/{user}", RIGHT_ACCOUNT));
OPERATION(user_set, "user set", "USER SETTING=VALUE...", "change settings of a user", run_user_set, .subject = &subject_user,
    .settings = &settings_table, HTTP(PATCH, "users/{user}", RIGHT_ACCOUNT), .effect = CHANGES, .access = GRANTS_ACCESS,
    .needs_password = true, .shown_by = &operation_user_show, .shows_result = true);
OPERATION(user_reset, "user reset", "USER [--totp]", "end a user's password and sessions, and print a link that sets a new one",
    run_user_reset, .subject = &subject_user, PARAMETERS(reset_parameters, bool),
    HTTP(POST, "users/{user}/reset", RIGHT_ACCOUNT), .effect = CHANGES, .access = GRANTS_ACCESS, .needs_password = true,
    .shown_by = &operation_user_show);
OPERATION(user_disable, "user disable", "USER", "end a user's sessions and prevent new logins", run_user_change,
    .variant = DISABLE, .subject = &subject_user, HTTP(POST, "users/{user}/disable", RIGHT_ACCOUNT), .effect = CHANGES,
    .access = ENDS_ACCESS, .needs_password = true, .shown_by = &operation_user_show);
OPERATION(user_enable, "user enable", "USER", "let a disabled user log in again", run_user_change, .variant = ENABLE,
    .subject = &subject_user, HTTP(POST, "users/{user}/enable", RIGHT_ACCOUNT), .effect = CHANGES, .access = GRANTS_ACCESS,
    .needs_password = true, .shown_by = &operation_user_show);
OPERATION(user_remove, "user remove", "USER", "remove a user", run_user_change, .variant = REMOVE, .subject = &subject_user,
    HTTP(DELETE, "users/{user}", RIGHT_ACCOUNT), .effect = CHANGES, .access = ENDS_ACCESS, .needs_password = true,
    .shown_by = &operation_user_show);
OPERATION(user_sessions, "user sessions", "USER", "list the sessions of a user, the newest first", run_user_sessions,
    .subject = &subject_user, .shape = OUTPUT_ARRAY, HTTP(GET, "users/{user}/sessions", RIGHT_ACCOUNT));
OPERATION(user_logout, "user logout", "USER", "end all sessions of a user", run_user_logout, .subject = &subject_user,
    HTTP(POST, "users/{user}/logout", RIGHT_ACCOUNT), .effect = CHANGES, .access = ENDS_ACCESS, .needs_password = true,
    .shown_by = &operation_user_show);
