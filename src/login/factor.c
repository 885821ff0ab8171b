/* SPDX-License-Identifier: MIT
 * The second factor, as users add and remove it. */
#include "base/panic.h"
#include "crypto/totp.h"
#include "identity/typed.h"
#include "identity/user_token.h"
#include "login/check.h"

static const struct login_outcome done = { .verdict = LOGIN_DONE };

enum result
login_begin_factor(const struct login_context *context, struct pool *pool, const struct session *session,
    struct login_factor *factor, struct login_outcome *outcome)
{
	*outcome = (struct login_outcome){ .verdict = LOGIN_NO_KEY };
	if (!store_seals_totp(context->store))
		return RESULT_OK;
	*outcome = done;
	factor->secret = totp_secret_make(pool);
	factor->url = totp_url(pool, context->service_name, session->email, factor->secret);
	const enum result result = store_begin_totp(context->store, session->user_id, factor->secret);
	if (result != RESULT_REFUSED)
		return result;
	outcome->verdict = LOGIN_HAS_FACTOR;
	return RESULT_OK;
}

static void
make_codes(struct pool *pool, struct slice codes[RECOVERY_CODES], struct digest hashes[RECOVERY_CODES])
{
	for (size_t i = 0; i < RECOVERY_CODES; i++) {
		codes[i] = recovery_code_make(pool);
		if (!recovery_code_hash(codes[i], &hashes[i]))
			panic("a recovery code of our own is none");
	}
}

enum result
login_enable_factor(const struct login_context *context, struct pool *pool, struct slice token, const struct session *session,
    struct slice code, const struct login_origin *origin, struct slice codes[RECOVERY_CODES], struct login_outcome *outcome)
{
	struct digest hashes[RECOVERY_CODES];
	const struct digest own = user_token_hash(token);
	struct slice secret;
	int64_t now_ms;
	uint64_t step;
	*outcome = done;
	if (!check_limit(context, origin->address, outcome) || !check_may_change(origin, outcome))
		return RESULT_OK;
	const enum result result = store_find_new_totp(context->store, pool, session->user_id, &secret, &now_ms);
	if (result != RESULT_OK)
		return check_changed(result, outcome);
	if (!totp_accepts(pool, secret, typed_code(pool, code), now_ms, 0, &step)) {
		outcome->verdict = LOGIN_WRONG;
		return RESULT_OK;
	}
	make_codes(pool, codes, hashes);
	return check_changed(store_enable_totp(context->store, session->user_id, step, hashes, own.bytes), outcome);
}

enum result
login_renew_codes(const struct login_context *context, struct pool *pool, const struct session *session,
    const struct login_origin *origin, struct slice codes[RECOVERY_CODES], struct login_outcome *outcome)
{
	struct digest hashes[RECOVERY_CODES];
	*outcome = done;
	if (!session->has_totp)
		return check_changed(RESULT_NOT_FOUND, outcome);
	if (!check_limit(context, origin->address, outcome) || !check_may_change(origin, outcome))
		return RESULT_OK;
	make_codes(pool, codes, hashes);
	return check_changed(store_replace_recovery_codes(context->store, session->user_id, hashes), outcome);
}

enum result
login_remove_factor(const struct login_context *context, struct slice token, const struct session *session,
    const struct login_origin *origin, struct login_outcome *outcome)
{
	const struct digest own = user_token_hash(token);
	*outcome = done;
	if (!check_limit(context, origin->address, outcome) || !check_may_change(origin, outcome))
		return RESULT_OK;
	return store_remove_totp(context->store, session->user_id, own.bytes);
}
