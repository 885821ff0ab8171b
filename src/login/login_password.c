/* SPDX-License-Identifier: MIT */
#include "login/login_password.h"

#include "crypto/password.h"
#include "identity/link.h"
#include "identity/user_token.h"
#include "login/login_attempt.h"

/* Whether the user may choose the password. False: LOGIN_PASSWORD_UNFIT. */
static bool
is_fit(struct login_call *call, struct slice email, struct slice name, struct slice password)
{
	const struct password_context personal = {
		.email = email, .name = name, .host = link_host(call->pool, call->context->base_url)
	};
	call->outcome.password = password_judge(call->pool, password, &personal);
	if (call->outcome.password == PASSWORD_FITS)
		return true;
	call->outcome.verdict = LOGIN_PASSWORD_UNFIT;
	return false;
}

/* False: LOGIN_BUSY. */
static bool
hash_new(struct login_call *call, struct slice password, struct slice *hash)
{
	int slot;
	if (!attempt_slot(call, &slot))
		return false;
	*hash = password_hash(call->pool, password);
	work_slots_give_back(call->context->slots, slot);
	return true;
}

enum result
login_change_password(struct login_call *call, const struct login_new_password *typed, struct slice *new_token)
{
	const struct login_request request = { call->session->email, typed->current, typed->code };
	struct login_proven proven;
	struct slice hash;
	call->outcome = (struct login_outcome){ .verdict = LOGIN_DONE };
	if (!is_fit(call, call->session->email, call->session->name, typed->password))
		return RESULT_OK;
	const enum result result = attempt_login(call, &request, &proven);
	if (result != RESULT_OK || call->outcome.verdict != LOGIN_DONE || !hash_new(call, typed->password, &hash))
		return result;
	const struct new_session opened = attempt_new_session(call, new_token);
	return attempt_changed(call, store_change_password(call->context->store, &proven.proof, hash, &opened));
}

enum result
login_find_link(const struct login_context *context, struct pool *pool, struct slice token, struct invited_user *user)
{
	if (!user_token_well_formed(token))
		return RESULT_NOT_FOUND;
	const struct digest hash = user_token_hash(token);
	return store_find_invitation(context->store, pool, hash.bytes, user);
}

enum result
login_use_link(struct login_call *call, struct slice token, struct slice password)
{
	struct invited_user user;
	struct slice hash;
	call->outcome = (struct login_outcome){ .verdict = LOGIN_DONE };
	if (!attempt_limit(call))
		return RESULT_OK;
	const enum result result = login_find_link(call->context, call->pool, token, &user);
	if (result != RESULT_OK)
		return attempt_changed(call, result);
	if (!is_fit(call, user.email, user.name, password) || !attempt_may_change(call) || !hash_new(call, password, &hash))
		return RESULT_OK;
	const struct digest token_hash = user_token_hash(token);
	return attempt_changed(call, store_use_invitation(call->context->store, token_hash.bytes, hash));
}
