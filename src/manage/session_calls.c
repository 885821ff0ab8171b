/* SPDX-License-Identifier: MIT
 * Calls about the caller itself (docs/manage.md 3): login and logout, password, second factor, links that set a password. They
 * are not operations, because the command has no session. */
#include "manage/session_calls.h"

#include <string.h>

#include "api/call/limits.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "identity/random_secret.h"
#include "login/login.h"
#include "manage/call_limits.h"
#include "manage/identity.h"
#include "manage/members.h"
#include "operation/audited_run.h"
#include "os/log.h"
#include "json/writer.h"

/* One call: its fields, and where the request comes from. */
struct session_call {
	struct manage_request *request;
	const char *operation; /* its name in the audit log; NULL: it is not logged */
	struct audit_entry audited;
	uint64_t audit_row; /* 0: none */
	struct login_call login;
	struct members members;
	bool failed; /* it has been answered with a problem */
};

/* ---- fields ---- */

/* A text in the body; absent if it is missing. */
static struct slice
text_of(struct session_call *call, struct slice name)
{
	struct member *member = members_take(&call->members, name);
	if (member == NULL || member->type == MEMBER_NULL)
		return SLICE_NONE;
	if (member->type == MEMBER_TEXT)
		return member->text;
	call->failed = !request_fail(call->request, PROBLEM_INVALID,
	    pool_printf(call->request->http->pool, "/%.*s", SLICE_ARGS(name)), "%.*s: expected a text", SLICE_ARGS(name));
	return SLICE_NONE;
}

static struct slice
required_text(struct session_call *call, struct slice name)
{
	const struct slice text = text_of(call, name);
	if (!slice_present(text) && !call->failed)
		call->failed = !request_fail(call->request, PROBLEM_USAGE, SLICE_NONE, "%.*s is missing", SLICE_ARGS(name));
	return text;
}

/* Whether the body had neither unknown nor invalid fields; called after the known fields were read. */
static bool
fields_fit(struct session_call *call)
{
	for (size_t i = 0; i < call->members.count && !call->failed; i++)
		if (!call->members.list[i].taken)
			call->failed = !request_fail(call->request, PROBLEM_UNKNOWN_FIELD, SLICE_NONE, "there is no field %.*s",
			    SLICE_ARGS(call->members.list[i].name));
	return !call->failed;
}

/* ---- answers ---- */

static struct json_writer
begin(struct session_call *call)
{
	struct json_writer writer;
	json_writer_init(&writer, &call->request->response->body);
	json_begin_object(&writer);
	return writer;
}

static void
answer_done(struct session_call *call)
{
	struct json_writer writer = begin(call);
	json_put_boolean(&writer, SLICE("done"), true);
	json_end_object(&writer);
}

/* Returns whether the call has succeeded; otherwise answers it. */
static bool
succeeded(struct session_call *call, enum result result)
{
	struct manage_request *request = call->request;
	const struct login_outcome *outcome = &call->login.outcome;
	if (result == RESULT_NOT_FOUND) /* the session has ended in the meantime */
		return request_fail_status(request, 401, "session_ended", SLICE("the session has ended: log in again"));
	if (result != RESULT_OK)
		return request_fail(request, PROBLEM_UNAVAILABLE, SLICE_NONE, "the database is out of reach; try again later");
	switch (outcome->verdict) {
	case LOGIN_DONE:
		return true;
	case LOGIN_REFUSED:
		return false;
	case LOGIN_WRONG:
		return request_fail_status(request, 401, "wrong_login", SLICE("email address, password or code are wrong"));
	case LOGIN_CODE_NEEDED:
		return request_fail_status(request, 401, "code_needed", SLICE("a code of the second factor is needed"));
	case LOGIN_LIMITED:
		return request_fail_wait(
		    request, outcome->limit.wait_ms, "rate_limited", SLICE("too many logins from this address"));
	case LOGIN_THROTTLED:
		return request_fail_wait(request, outcome->wait_ms, "throttled", SLICE("too many failed logins of this user"));
	case LOGIN_BUSY:
		return request_fail_wait(request, outcome->wait_ms, "busy", SLICE("too many logins at once"));
	case LOGIN_PASSWORD_UNFIT:
		return request_fail(request, PROBLEM_INVALID, SLICE("/new_password"), "%.*s",
		    SLICE_ARGS(password_verdict_text(outcome->password)));
	case LOGIN_NO_KEY:
		return request_fail(request, PROBLEM_CONFIG, SLICE_NONE,
		    "a second factor needs a key in the configuration that its secret is encrypted with");
	case LOGIN_HAS_FACTOR:
		return request_fail(request, PROBLEM_CONFLICT, SLICE_NONE, "the user has a second factor already");
	}
	return false;
}

/* ---- the audit log ---- */

/* Counts the change, and logs that the user begins it. Returns false after answering that the change must not be made. */
static bool
begin_change(void *context)
{
	struct session_call *call = context;
	const struct caller *user = &call->request->caller;
	struct audit_entry entry = {
		.account_id = user->account_id, .operation = slice_of(call->operation), .target_id = user->id
	};
	operation_set_actor(&entry, call->request->http->pool, user);
	if (!request_may_change(call->request))
		return false;
	call->audited = entry;
	const enum result result = store_begin_audit(call->login.context->store, &entry, &call->audit_row);
	return result == RESULT_OK || succeeded(call, result);
}

/* After a failure of the database the row stays `begun`: the change may have been made. */
static void
note_end(const struct session_call *call)
{
	const unsigned status = call->request->response->status;
	const enum audit_state state = status < 300 ? AUDIT_DONE : AUDIT_FAILED;
	if (call->audit_row != 0 && status < 500 &&
	    store_end_audit(call->login.context->store, &call->audited, call->audit_row,
		&(struct audit_end){ .state = state }) != RESULT_OK)
		log_warning("audit_incomplete", LOG_UINT("row", call->audit_row));
}

/* ---- session ---- */

static void
write_session(struct session_call *call)
{
	const struct session *session = &call->request->session;
	struct pool *pool = call->request->http->pool;
	struct json_writer writer = begin(call);
	size_t count;
	const struct slice *words = rights_words(pool, session->rights, &count);
	json_put_u64(&writer, SLICE("user_id"), session->user_id);
	json_put_text(&writer, SLICE("email"), session->email);
	json_put_text(&writer, SLICE("name"), session->name);
	json_put_text(&writer, SLICE("role"), role_name(session->role));
	json_put_id(&writer, SLICE("account_id"), session->account_id);
	json_put_text(&writer, SLICE("account_name"), session->account_name);
	json_put_text(&writer, SLICE("time_zone"), session->time_zone);
	json_put_boolean(&writer, SLICE("account_suspended"), session->account_suspended);
	json_name(&writer, SLICE("rights"));
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++)
		json_string(&writer, words[i]);
	json_end_array(&writer);
	json_name(&writer, SLICE("campaigns"));
	if (slice_present(session->campaigns))
		json_raw(&writer, pool_printf(pool, "[%.*s]", SLICE_ARGS(session->campaigns)));
	else
		json_null(&writer);
	json_put_boolean(&writer, SLICE("second_factor"), session->has_totp);
	json_put_time(&writer, SLICE("created_at"), session->created_ms);
	json_put_time(&writer, SLICE("confirmed_at"), session->confirmed_ms);
	json_end_object(&writer);
}

/* Answers with the session that has just been opened. */
static void
answer_new_session(struct session_call *call, struct slice token)
{
	struct manage_request *request = call->request;
	const enum result result =
	    login_find_session(call->login.context, request->http->pool, token, call_client(request->from), &request->session);
	if (!succeeded(call, result))
		return;
	request_set_cookie(request, token);
	write_session(call);
}

static void
handle_login(struct session_call *call)
{
	const struct login_request login = { .email = required_text(call, SLICE("email")),
		.password = required_text(call, SLICE("password")),
		.code = text_of(call, SLICE("code")) };
	struct slice token;
	if (!fields_fit(call))
		return;
	const enum result result = login_open(&call->login, &login, &token);
	if (succeeded(call, result))
		answer_new_session(call, token);
}

static void
handle_logout(struct session_call *call)
{
	const enum result result = login_close(call->login.context, call->request->token, &call->request->session);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND && !succeeded(call, result))
		return;
	request_set_cookie(call->request, SLICE_NONE);
	answer_done(call);
}

static void
handle_confirm(struct session_call *call)
{
	const struct slice password = required_text(call, SLICE("password")), code = text_of(call, SLICE("code"));
	if (!fields_fit(call))
		return;
	const enum result result = login_confirm(&call->login, password, code);
	if (succeeded(call, result))
		answer_done(call);
}

static void
handle_password(struct session_call *call)
{
	const struct login_new_password typed = { .current = required_text(call, SLICE("password")),
		.code = text_of(call, SLICE("code")),
		.password = required_text(call, SLICE("new_password")) };
	struct slice token;
	if (!fields_fit(call))
		return;
	const enum result result = login_change_password(&call->login, &typed, &token);
	if (succeeded(call, result))
		answer_new_session(call, token);
}

/* ---- the second factor ---- */

static bool
is_confirmed(struct session_call *call)
{
	return request_demand_confirmation(call->request) && fields_fit(call);
}

static void
handle_begin_factor(struct session_call *call)
{
	struct login_factor factor;
	if (!is_confirmed(call) || !succeeded(call, login_begin_factor(&call->login, &factor)))
		return;
	struct json_writer writer = begin(call);
	json_put_text(&writer, SLICE("secret"), factor.secret);
	json_put_text(&writer, SLICE("url"), factor.url);
	json_end_object(&writer);
}

static void
answer_codes(struct session_call *call, const struct slice codes[RECOVERY_CODES])
{
	struct json_writer writer = begin(call);
	json_name(&writer, SLICE("recovery_codes"));
	json_begin_array(&writer);
	for (size_t i = 0; i < RECOVERY_CODES; i++)
		json_string(&writer, codes[i]);
	json_end_array(&writer);
	json_end_object(&writer);
}

static void
handle_enable_factor(struct session_call *call)
{
	struct manage_request *request = call->request;
	const struct slice code = required_text(call, SLICE("code"));
	struct slice codes[RECOVERY_CODES];
	if (!is_confirmed(call))
		return;
	const enum result result = login_enable_factor(&call->login, code, codes);
	if (result == RESULT_OK && call->login.outcome.verdict == LOGIN_WRONG)
		(void)request_fail(request, PROBLEM_INVALID, SLICE("/code"), "the code is not one of the new secret");
	else if (succeeded(call, result))
		answer_codes(call, codes);
}

static void
handle_renew_codes(struct session_call *call)
{
	struct manage_request *request = call->request;
	struct slice codes[RECOVERY_CODES];
	if (!is_confirmed(call))
		return;
	const enum result result = login_renew_codes(&call->login, codes);
	if (result == RESULT_OK && call->login.outcome.verdict == LOGIN_WRONG)
		(void)request_fail(request, PROBLEM_CONFLICT, SLICE_NONE, "the user has no second factor");
	else if (succeeded(call, result))
		answer_codes(call, codes);
}

static void
handle_remove_factor(struct session_call *call)
{
	if (is_confirmed(call) && succeeded(call, login_remove_factor(&call->login)))
		answer_done(call);
}

static void
handle_session(struct session_call *call)
{
	if (fields_fit(call))
		write_session(call);
}

/* ---- all sessions of the user ---- */

static void
handle_list(struct session_call *call)
{
	const struct session_limits *limits = &call->login.context->limits;
	struct pool *pool = call->request->http->pool;
	const struct digest own = secret_hash(call->request->token);
	struct session_row *rows;
	struct json_writer writer;
	size_t count;
	if (!fields_fit(call) || !succeeded(call, store_list_sessions(call->login.context->store, pool,
						      call->request->session.user_id, limits, &rows, &count)))
		return;
	json_writer_init(&writer, &call->request->response->body);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(&writer);
		json_put_text(&writer, SLICE("id"), encode_hex(pool, rows[i].hash));
		json_put_time(&writer, SLICE("created_at"), rows[i].created_ms);
		json_put_time(&writer, SLICE("last_used_at"), rows[i].last_used_ms);
		json_put_text(&writer, SLICE("ip"), rows[i].ip);
		json_put_text(&writer, SLICE("user_agent"), utf8_valid(rows[i].user_agent) ? rows[i].user_agent : SLICE_NONE);
		json_put_boolean(&writer, SLICE("current"), slice_equal(rows[i].hash, digest_slice(&own)));
		json_end_object(&writer);
	}
	json_end_array(&writer);
}

static void
handle_end(struct session_call *call)
{
	struct manage_request *request = call->request;
	const struct slice id = required_text(call, SLICE("id"));
	struct slice hash;
	if (!fields_fit(call))
		return;
	enum result result = RESULT_NOT_FOUND;
	if (decode_hex(request->http->pool, id, &hash) && hash.size == DIGEST_SIZE)
		result =
		    store_end_session(call->login.context->store, request->session.user_id, (const unsigned char *)hash.data);
	if (result == RESULT_NOT_FOUND)
		(void)request_fail(request, PROBLEM_NOT_FOUND, SLICE_NONE, "there is no such session");
	else if (succeeded(call, result))
		answer_done(call);
}

/* ---- links ---- */

static bool
fail_link(struct session_call *call)
{
	return request_fail_status(
	    call->request, 404, "link_not_valid", SLICE("the link is not valid: it was used or replaced, or has expired"));
}

static void
handle_link(struct session_call *call)
{
	const struct slice token = required_text(call, SLICE("token"));
	struct call *from = call->request->from;
	struct invited_user user;
	if (!fields_fit(call) || !call_may_fail_key(from))
		return;
	const enum result result = login_find_link(call->login.context, call->request->http->pool, token, &user);
	if (result == RESULT_NOT_FOUND) {
		call_note_failed_key(from);
		(void)fail_link(call);
		return;
	}
	if (!succeeded(call, result))
		return;
	struct json_writer writer = begin(call);
	json_put_text(&writer, SLICE("email"), user.email);
	json_put_text(&writer, SLICE("name"), user.name);
	json_put_text(&writer, SLICE("purpose"), user.purpose == INVITATION_WELCOME ? SLICE("welcome") : SLICE("reset"));
	json_put_time(&writer, SLICE("expires_at"), user.expires_ms);
	json_end_object(&writer);
}

static void
handle_use_link(struct session_call *call)
{
	const struct slice token = required_text(call, SLICE("token")), password = required_text(call, SLICE("new_password"));
	struct invited_user user = { 0 };
	if (!fields_fit(call))
		return;
	enum result result = login_find_link(call->login.context, call->request->http->pool, token, &user);
	call->request->caller = (struct caller){ .kind = CALLER_USER,
		.id = user.id,
		.name = user.email,
		.account_id = user.account_id,
		.address = ip_address_format(call->request->http->pool, call->login.origin.address),
		.request_id = call->request->http->request_id };
	if (result == RESULT_OK || result == RESULT_NOT_FOUND) /* attempts with links that are not valid count, too */
		result = login_use_link(&call->login, token, password);
	if (result == RESULT_OK && call->login.outcome.verdict == LOGIN_WRONG)
		(void)fail_link(call);
	else if (succeeded(call, result))
		answer_done(call);
}

/* ---- the table ---- */

static const struct {
	enum http_method method;
	const char *path; /* after /manage/v1 */
	bool has_session; /* needs a session */
	void (*handle)(struct session_call *call);
	const char *operation; /* its name in the audit log; NULL: it is not logged */
	bool of_suspended;     /* users of suspended accounts may call it, too */
} calls[] = {
	{ HTTP_POST, "session", .handle = handle_login },
	{ HTTP_GET, "session", .handle = handle_session, .has_session = true, .of_suspended = true },
	{ HTTP_DELETE, "session", .handle = handle_logout, .has_session = true, .of_suspended = true },
	{ HTTP_GET, "session/list", .handle = handle_list, .has_session = true, .of_suspended = true },
	{ HTTP_POST, "session/end", .handle = handle_end, .has_session = true, .of_suspended = true },
	{ HTTP_POST, "session/confirm", .handle = handle_confirm, .has_session = true },
	{ HTTP_POST, "session/password", .handle = handle_password, .has_session = true, .of_suspended = true,
	    .operation = "session password" },
	{ HTTP_POST, "session/factor", .handle = handle_begin_factor, .has_session = true },
	{ HTTP_POST, "session/factor/enable", .handle = handle_enable_factor, .has_session = true,
	    .operation = "session factor enable" },
	{ HTTP_POST, "session/factor/codes", .handle = handle_renew_codes, .has_session = true,
	    .operation = "session factor codes" },
	{ HTTP_DELETE, "session/factor", .handle = handle_remove_factor, .has_session = true,
	    .operation = "session factor remove" },
	{ HTTP_POST, "session/link", .handle = handle_link },
	{ HTTP_POST, "session/link/use", .handle = handle_use_link, .operation = "session link use" },
};

static bool
path_is(const struct http_request *http, const char *path)
{
	struct slice rest = slice_of(path), part;
	size_t i = 2;
	for (; slice_next(&rest, '/', &part); i++)
		if (i >= http->segment_count || !slice_equal(http->segments[i], part))
			return false;
	return i == http->segment_count && slice_equal(http->segments[1], SLICE("v1"));
}

/* A login counts as a change: a page of another site must not log a browser in. */
static bool
may_begin(struct manage_request *request)
{
	return call_pass_address(request->from) && request_is_own_page(request);
}

static bool
has_session(struct manage_request *request)
{
	return request_identify(request) &&
	       (slice_present(request->token) ||
		   request_fail_status(request, 401, "missing_session", SLICE("only a user has a session")));
}

static void
run(struct manage_request *request, size_t number)
{
	struct session_call call = { .request = request,
		.operation = calls[number].operation,
		.login = {
		    .context = &request->manage->options.login, .pool = request->http->pool, .session = &request->session } };
	request->may_be_suspended = calls[number].of_suspended;
	if (!(calls[number].has_session ? has_session(request) : may_begin(request)))
		return;
	call.login.token = request->token;
	call.login.origin.address = call_client(request->from);
	call.login.origin.user_agent = request->http->user_agent;
	if (call.operation != NULL) {
		call.login.origin.may_change = begin_change;
		call.login.origin.caller = &call;
	}
	const bool in_query = calls[number].method != HTTP_POST;
	if (!(in_query ? request_read_query(request, &call.members) : request_read_body(request, &call.members)))
		return;
	calls[number].handle(&call);
	note_end(&call);
}

bool
request_answer_session(struct manage_request *request)
{
	const enum http_method method = request->http->method == HTTP_HEAD ? HTTP_GET : request->http->method;
	unsigned allowed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!path_is(request->http, calls[i].path))
			continue;
		if (calls[i].method == method) {
			run(request, i);
			return true;
		}
		allowed |= METHOD_BIT(calls[i].method);
	}
	if (allowed != 0)
		(void)request_fail_method(request, allowed);
	return allowed != 0;
}
