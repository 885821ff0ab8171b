/* SPDX-License-Identifier: MIT */
#include "login/login_attempt.h"

#include <string.h>

#include "crypto/password.h"
#include "crypto/totp.h"
#include "identity/email.h"
#include "identity/typed.h"
#include "identity/user_token.h"
#include "limit/limit_address.h"
#include "os/clock.h"

bool
attempt_limit(struct login_call *call)
{
	static const struct ip_address unknown;
	struct limit_claim claims[LIMIT_REACHES];
	struct limit_name names[LIMIT_REACHES];
	const struct ip_address *counted = call->origin.address == NULL ? &unknown : call->origin.address;
	const struct limit_network network = limit_network_of(counted);
	const size_t count = limit_claim_address(counted, LIMIT_LOGINS, 0, claims, names);
	if (limiter_pass(call->context->limiter, &network, claims, count, &call->outcome.limit))
		return true;
	call->outcome.verdict = LOGIN_LIMITED;
	call->outcome.wait_ms = call->outcome.limit.wait_ms;
	return false;
}

bool
attempt_may_change(struct login_call *call)
{
	if (call->origin.may_change == NULL || call->origin.may_change(call->origin.caller))
		return true;
	call->outcome.verdict = LOGIN_REFUSED;
	return false;
}

bool
attempt_slot(struct login_call *call, int *slot)
{
	*slot = work_slots_take(call->context->slots);
	if (*slot >= 0)
		return true;
	call->outcome.verdict = LOGIN_BUSY;
	call->outcome.wait_ms = WORK_SLOTS_WAIT_MS;
	return false;
}

/* Counts the attempt, then hashes; the caller holds a slot. *matches: the password is right. */
static enum result
verify(struct login_call *call, struct slice email, struct slice password, struct login_proven *proven, bool *matches)
{
	struct login_outcome *outcome = &call->outcome;
	enum result result = store_count_login(call->context->store, email, &outcome->wait_ms);
	*matches = false;
	if (result != RESULT_OK)
		return result;
	if (outcome->wait_ms > 0) {
		outcome->verdict = LOGIN_THROTTLED;
		return RESULT_OK;
	}
	result = store_find_login_user(call->context->store, call->pool, email, &proven->user);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND)
		return result;
	const bool has_password = result == RESULT_OK && slice_present(proven->user.password);
	const struct slice given = slice_present(password) ? password : SLICE("");
	*matches = password_verify(has_password ? proven->user.password : password_dummy(), given) && has_password;
	if (*matches && password_is_outdated(proven->user.password))
		proven->proof.rehashed = password_hash(call->pool, given);
	return RESULT_OK;
}

static bool
is_code(struct slice text)
{
	size_t digits = 0;
	while (digits < text.size && ascii_is_digit(text.data[digits]))
		digits++;
	return digits == text.size && digits == TOTP_DIGITS;
}

/* The second factor of a user whose password was right. */
static bool
accepts_code(struct pool *pool, struct slice code, struct login_proven *proven)
{
	const struct login_user *user = &proven->user;
	if (is_code(code))
		return totp_accepts(pool, user->totp, code, user->now_ms, user->totp_step, &proven->proof.totp_step);
	if (!recovery_code_hash(code, &proven->recovery))
		return false;
	proven->proof.recovery = proven->recovery.bytes;
	return true; /* whether there is such a code is seen when it is used up */
}

enum result
attempt_login(struct login_call *call, const struct login_request *request, struct login_proven *proven)
{
	struct email email;
	const struct slice code = typed_code(call->pool, request->code);
	bool matches;
	int slot;
	call->outcome = (struct login_outcome){ .verdict = LOGIN_WRONG };
	*proven = (struct login_proven){ .proof = { .user = &proven->user } };
	if (!attempt_limit(call) || !email_parse(call->pool, request->email, &email) || !attempt_may_change(call) ||
	    !attempt_slot(call, &slot))
		return RESULT_OK;
	const int64_t begun_ms = clock_monotonic_ms();
	enum result result = verify(call, email.key, request->password, proven, &matches);
	if (result == RESULT_OK && call->outcome.wait_ms == 0 && !matches) /* guesses use a core for half of the time at most */
		clock_pause(clock_monotonic_ms() - begun_ms);
	work_slots_give_back(call->context->slots, slot);
	if (result != RESULT_OK || !matches)
		return result;
	if (slice_present(proven->user.totp) && code.size == 0) {
		call->outcome.verdict = LOGIN_CODE_NEEDED;
		return store_uncount_login(call->context->store, email.key);
	}
	if (!slice_present(proven->user.totp) || accepts_code(call->pool, code, proven))
		call->outcome.verdict = LOGIN_DONE;
	return RESULT_OK;
}

enum result
attempt_changed(struct login_call *call, enum result result)
{
	if (result != RESULT_NOT_FOUND)
		return result;
	call->outcome.verdict = LOGIN_WRONG;
	return RESULT_OK;
}

struct new_session
attempt_new_session(const struct login_call *call, struct slice *token)
{
	struct new_session session = { .ip = ip_address_format(call->pool, call->origin.address),
		.user_agent = call->origin.user_agent };
	*token = user_token_make(call->pool);
	const struct digest hash = user_token_hash(*token);
	memcpy(session.hash, hash.bytes, sizeof(session.hash));
	return session;
}
