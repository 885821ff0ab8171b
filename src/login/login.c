/* SPDX-License-Identifier: MIT */
#include "login/login.h"

#include "crypto/password.h"
#include "crypto/totp.h"
#include "identity/email.h"
#include "identity/typed.h"
#include "identity/user_token.h"
#include "login/check.h"
#include "os/clock.h"

/* ---- an attempt ---- */

bool
check_limit(const struct login_context *context, const struct ip_address *address, struct login_outcome *outcome)
{
	static const struct ip_address unknown;
	struct limit_claim claims[LIMIT_REACHES];
	struct limit_name names[LIMIT_REACHES];
	const struct ip_address *counted = address == NULL ? &unknown : address;
	const struct limit_network network = limit_network_of(counted);
	const size_t count = limit_claim_address(counted, LIMIT_LOGINS, 0, claims, names);
	if (limiter_pass(context->limiter, &network, claims, count, &outcome->limit))
		return true;
	outcome->verdict = LOGIN_LIMITED;
	outcome->wait_ms = outcome->limit.wait_ms;
	return false;
}

bool
check_may_change(const struct login_origin *origin, struct login_outcome *outcome)
{
	if (origin->may_change == NULL || origin->may_change(origin->caller))
		return true;
	outcome->verdict = LOGIN_REFUSED;
	return false;
}

bool
check_slot(const struct login_context *context, int *slot, struct login_outcome *outcome)
{
	*slot = work_slots_take(context->slots);
	if (*slot >= 0)
		return true;
	outcome->verdict = LOGIN_BUSY;
	outcome->wait_ms = WORK_SLOTS_WAIT_MS;
	return false;
}

/* Counts the attempt, then hashes. The slot is held. *matches: the password is right. */
static enum result
verify(const struct login_context *context, struct pool *pool, struct slice email, struct slice password,
    struct login_check *check, bool *matches, struct login_outcome *outcome)
{
	enum result result = store_count_login(context->store, email, &outcome->wait_ms);
	*matches = false;
	if (result != RESULT_OK)
		return result;
	if (outcome->wait_ms > 0) {
		outcome->verdict = LOGIN_THROTTLED;
		return RESULT_OK;
	}
	result = store_find_login_user(context->store, pool, email, &check->user);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND)
		return result;
	const bool has_password = result == RESULT_OK && slice_present(check->user.password);
	const struct slice given = slice_present(password) ? password : SLICE("");
	*matches = password_verify(has_password ? check->user.password : password_dummy(), given) && has_password;
	if (*matches && password_is_outdated(check->user.password))
		check->proof.rehashed = password_hash(pool, given);
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
accepts_code(struct pool *pool, struct slice code, struct login_check *check)
{
	const struct login_user *user = &check->user;
	if (is_code(code))
		return totp_accepts(pool, user->totp, code, user->now_ms, user->totp_step, &check->proof.totp_step);
	if (!recovery_code_hash(code, &check->recovery))
		return false;
	check->proof.recovery = check->recovery.bytes;
	return true; /* whether there is such a code is seen when it is used up */
}

enum result
check_user(const struct login_context *context, struct pool *pool, const struct login_request *request,
    const struct login_origin *origin, struct login_check *check, struct login_outcome *outcome)
{
	struct email email;
	const struct slice code = typed_code(pool, request->code);
	bool matches;
	int slot;
	*outcome = (struct login_outcome){ .verdict = LOGIN_WRONG };
	*check = (struct login_check){ .proof = { .user = &check->user } };
	if (!check_limit(context, origin->address, outcome) || !email_parse(pool, request->email, &email) ||
	    !check_may_change(origin, outcome) || !check_slot(context, &slot, outcome))
		return RESULT_OK;
	const int64_t begun_ms = clock_monotonic_ms();
	enum result result = verify(context, pool, email.key, request->password, check, &matches, outcome);
	if (result == RESULT_OK && outcome->wait_ms == 0 && !matches) /* guesses use a core for half of the time at most */
		clock_pause(clock_monotonic_ms() - begun_ms);
	work_slots_give_back(context->slots, slot);
	if (result != RESULT_OK || !matches)
		return result;
	if (slice_present(check->user.totp) && code.size == 0) {
		outcome->verdict = LOGIN_CODE_NEEDED;
		return store_uncount_login(context->store, email.key);
	}
	if (!slice_present(check->user.totp) || accepts_code(pool, code, check))
		outcome->verdict = LOGIN_DONE;
	return RESULT_OK;
}

enum result
check_changed(enum result result, struct login_outcome *outcome)
{
	if (result != RESULT_NOT_FOUND)
		return result;
	outcome->verdict = LOGIN_WRONG;
	return RESULT_OK;
}

struct new_session
check_new_session(struct pool *pool, const struct login_origin *origin, struct slice *token)
{
	struct new_session session = { .ip = ip_address_format(pool, origin->address), .user_agent = origin->user_agent };
	*token = user_token_make(pool);
	const struct digest hash = user_token_hash(*token);
	memcpy(session.hash, hash.bytes, sizeof(session.hash));
	return session;
}

/* ---- sessions ---- */

enum result
login_open(const struct login_context *context, struct pool *pool, const struct login_request *request,
    const struct login_origin *origin, struct slice *token, struct login_outcome *outcome)
{
	struct login_check check;
	const enum result result = check_user(context, pool, request, origin, &check, outcome);
	if (result != RESULT_OK || outcome->verdict != LOGIN_DONE)
		return result;
	const struct new_session session = check_new_session(pool, origin, token);
	return check_changed(store_open_session(context->store, &check.proof, &session), outcome);
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
login_confirm(const struct login_context *context, struct pool *pool, struct slice token, const struct session *session,
    struct slice password, struct slice code, const struct login_origin *origin, struct login_outcome *outcome)
{
	const struct login_request request = { session->email, password, code };
	const struct digest hash = user_token_hash(token);
	struct login_check check;
	const enum result result = check_user(context, pool, &request, origin, &check, outcome);
	if (result != RESULT_OK || outcome->verdict != LOGIN_DONE)
		return result;
	return check_changed(store_confirm_session(context->store, &check.proof, hash.bytes), outcome);
}
