/* SPDX-License-Identifier: MIT
 * New passwords, by a link or by a user who has one. */
#include "crypto/password.h"
#include "identity/link.h"
#include "identity/user_token.h"
#include "login/check.h"

bool
check_new_password(const struct login_context *context, struct pool *pool, struct slice email, struct slice name,
    struct slice password, struct login_outcome *outcome)
{
	const struct password_context personal = { .email = email, .name = name, .host = link_host(pool, context->base_url) };
	outcome->password = password_judge(pool, password, &personal);
	if (outcome->password == PASSWORD_FITS)
		return true;
	outcome->verdict = LOGIN_PASSWORD_UNFIT;
	return false;
}

/* False: LOGIN_BUSY. */
static bool
hash_new(const struct login_context *context, struct pool *pool, struct slice password, struct slice *hash,
    struct login_outcome *outcome)
{
	int slot;
	if (!check_slot(context, &slot, outcome))
		return false;
	*hash = password_hash(pool, password);
	work_slots_give_back(context->slots, slot);
	return true;
}

enum result
login_change_password(const struct login_context *context, struct pool *pool, const struct session *session,
    const struct login_request *current, struct slice password, const struct login_origin *origin, struct slice *new_token,
    struct login_outcome *outcome)
{
	const struct login_request request = { session->email, current->password, current->code };
	struct login_check check;
	struct slice hash;
	*outcome = (struct login_outcome){ .verdict = LOGIN_DONE };
	if (!check_new_password(context, pool, session->email, session->name, password, outcome))
		return RESULT_OK;
	const enum result result = check_user(context, pool, &request, origin, &check, outcome);
	if (result != RESULT_OK || outcome->verdict != LOGIN_DONE || !hash_new(context, pool, password, &hash, outcome))
		return result;
	const struct new_session opened = check_new_session(pool, origin, new_token);
	return check_changed(store_change_password(context->store, &check.proof, hash, &opened), outcome);
}

/* ---- links ---- */

enum result
login_find_link(const struct login_context *context, struct pool *pool, struct slice token, struct invited_user *user)
{
	if (!user_token_well_formed(token))
		return RESULT_NOT_FOUND;
	const struct digest hash = user_token_hash(token);
	return store_find_invitation(context->store, pool, hash.bytes, user);
}

enum result
login_use_link(const struct login_context *context, struct pool *pool, struct slice token, struct slice password,
    const struct login_origin *origin, struct login_outcome *outcome)
{
	struct invited_user user;
	struct slice hash;
	*outcome = (struct login_outcome){ .verdict = LOGIN_DONE };
	if (!check_limit(context, origin->address, outcome))
		return RESULT_OK;
	const enum result result = login_find_link(context, pool, token, &user);
	if (result != RESULT_OK)
		return check_changed(result, outcome);
	if (!check_new_password(context, pool, user.email, user.name, password, outcome) ||
	    !check_may_change(origin, outcome) || !hash_new(context, pool, password, &hash, outcome))
		return RESULT_OK;
	const struct digest token_hash = user_token_hash(token);
	return check_changed(store_use_invitation(context->store, token_hash.bytes, hash), outcome);
}
