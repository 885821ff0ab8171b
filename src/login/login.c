/* SPDX-License-Identifier: MIT */
#include "login/login.h"

#include "identity/user_token.h"
#include "login/login_attempt.h"

enum result
login_open(struct login_call *call, const struct login_request *request, struct slice *token)
{
	struct login_proven proven;
	const enum result result = attempt_login(call, request, &proven);
	if (result != RESULT_OK || call->outcome.verdict != LOGIN_DONE)
		return result;
	const struct new_session session = attempt_new_session(call, token);
	return attempt_changed(call, store_open_session(call->context->store, &proven.proof, &session));
}

enum result
login_find_session(const struct login_context *context, struct pool *pool, struct slice token, const struct ip_address *address,
    struct session *session)
{
	if (!user_token_well_formed(token))
		return RESULT_NOT_FOUND;
	const struct digest hash = user_token_hash(token);
	const enum result result = store_find_session(context->store, pool, hash.bytes, &context->limits, session);
	return result == RESULT_OK ? store_touch_session(context->store, hash.bytes, session, ip_address_format(pool, address))
				   : result;
}

enum result
login_close(const struct login_context *context, struct slice token, const struct session *session)
{
	const struct digest hash = user_token_hash(token);
	return store_end_session(context->store, session->user_id, hash.bytes);
}

bool
login_is_confirmed(const struct session *session)
{
	return session->now_ms - session->confirmed_ms < LOGIN_CONFIRMED_MS;
}

enum result
login_confirm(struct login_call *call, struct slice password, struct slice code)
{
	const struct login_request request = { call->session->email, password, code };
	const struct digest hash = user_token_hash(call->token);
	struct login_proven proven;
	const enum result result = attempt_login(call, &request, &proven);
	if (result != RESULT_OK || call->outcome.verdict != LOGIN_DONE)
		return result;
	return attempt_changed(call, store_confirm_session(call->context->store, &proven.proof, hash.bytes));
}
