/* SPDX-License-Identifier: MIT */
#include "login/login_factor.h"

#include "base/panic.h"
#include "crypto/totp.h"
#include "identity/typed.h"
#include "identity/user_token.h"
#include "login/login_attempt.h"

static const struct login_outcome done = { .verdict = LOGIN_DONE };

enum result
login_begin_factor(struct login_call *call, struct login_factor *factor)
{
	call->outcome = (struct login_outcome){ .verdict = LOGIN_NO_KEY };
	if (!store_seals_totp(call->context->store))
		return RESULT_OK;
	call->outcome = done;
	factor->secret = totp_secret_make(call->pool);
	factor->url = totp_url(call->pool, call->context->service_name, call->session->email, factor->secret);
	const enum result result = store_begin_totp(call->context->store, call->session->user_id, factor->secret);
	if (result != RESULT_REFUSED)
		return result;
	call->outcome.verdict = LOGIN_HAS_FACTOR;
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
login_enable_factor(struct login_call *call, struct slice code, struct slice codes[RECOVERY_CODES])
{
	const uint64_t user_id = call->session->user_id;
	const struct digest own = user_token_hash(call->token);
	struct digest hashes[RECOVERY_CODES];
	struct slice secret;
	int64_t now_ms;
	uint64_t step;
	call->outcome = done;
	if (!attempt_limit(call) || !attempt_may_change(call))
		return RESULT_OK;
	const enum result result = store_find_new_totp(call->context->store, call->pool, user_id, &secret, &now_ms);
	if (result != RESULT_OK)
		return attempt_changed(call, result);
	if (!totp_accepts(call->pool, secret, typed_code(call->pool, code), now_ms, 0, &step)) {
		call->outcome.verdict = LOGIN_WRONG;
		return RESULT_OK;
	}
	make_codes(call->pool, codes, hashes);
	return attempt_changed(call, store_enable_totp(call->context->store, user_id, step, hashes, own.bytes));
}

enum result
login_renew_codes(struct login_call *call, struct slice codes[RECOVERY_CODES])
{
	struct digest hashes[RECOVERY_CODES];
	call->outcome = done;
	if (!call->session->has_totp)
		return attempt_changed(call, RESULT_NOT_FOUND);
	if (!attempt_limit(call) || !attempt_may_change(call))
		return RESULT_OK;
	make_codes(call->pool, codes, hashes);
	return attempt_changed(call, store_replace_recovery_codes(call->context->store, call->session->user_id, hashes));
}

enum result
login_remove_factor(struct login_call *call)
{
	const struct digest own = user_token_hash(call->token);
	call->outcome = done;
	if (!attempt_limit(call) || !attempt_may_change(call))
		return RESULT_OK;
	return store_remove_totp(call->context->store, call->session->user_id, own.bytes);
}
