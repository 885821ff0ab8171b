/* SPDX-License-Identifier: MIT
 * The steps of an attempt to log in, in this order:
 *
 *   the limit of the address, a hash slot, the count of the attempt, the hash, the code, the change
 *
 * An attempt is counted, and the count committed, before the password is hashed; the password of a refused attempt is not
 * hashed. The answer takes equally long for an address without a user, a user without a password, and a disabled user. */
#include "login/login.h"

#include <string.h>

#include "base/panic.h"
#include "crypto/password.h"
#include "crypto/totp.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/random_secret.h"
#include "identity/typed.h"
#include "limit/limiter.h"
#include "os/clock.h"
#include "os/fiber.h"

/* What an attempt has proven. Contains pointers into itself: do not copy it. */
struct login_proven {
	struct login_user user;
	struct login_proof proof;
	struct digest recovery;
};

/* Counts a login from the call's address; all unknown addresses count as one. Returns false after LOGIN_LIMITED. */
static bool
passes_limit(struct login_call *call)
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

/* Whether the user may be changed now. Returns false after LOGIN_REFUSED. */
static bool
may_change(struct login_call *call)
{
	if (call->origin.may_change == NULL || call->origin.may_change(call->origin.caller))
		return true;
	call->outcome.verdict = LOGIN_REFUSED;
	return false;
}

/* Takes a hash slot. Returns false after LOGIN_BUSY. */
static bool
take_slot(struct login_call *call, int *slot)
{
	*slot = work_slots_take(call->context->slots);
	if (*slot >= 0)
		return true;
	call->outcome.verdict = LOGIN_BUSY;
	call->outcome.wait_ms = WORK_SLOTS_WAIT_MS;
	return false;
}

/* Counts the attempt, then hashes; the caller holds a slot. *matches: whether the password is right. */
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
	for (size_t i = 0; i < text.size; i++)
		if (!ascii_is_digit(text.data[i]))
			return false;
	return text.size == TOTP_DIGITS;
}

/* Checks the second factor of a user whose password was right. */
static bool
accepts_code(struct pool *pool, struct slice code, struct login_proven *proven)
{
	const struct login_user *user = &proven->user;
	if (is_code(code))
		return totp_accepts(pool, user->totp, code, user->now_ms, user->totp_step, &proven->proof.totp_step);
	if (!recovery_code_hash(code, &proven->recovery))
		return false;
	proven->proof.recovery = proven->recovery.bytes;
	return true; /* whether the code exists shows when it is used up */
}

/* Makes the whole attempt. After LOGIN_DONE, the change for which it was made must use up the proof. */
static enum result
attempt_login(struct login_call *call, const struct login_request *request, struct login_proven *proven)
{
	struct email email;
	const struct slice code = typed_code(call->pool, request->code);
	bool matches;
	int slot;
	call->outcome = (struct login_outcome){ .verdict = LOGIN_WRONG };
	*proven = (struct login_proven){ .proof = { .user = &proven->user } };
	if (!passes_limit(call) || !email_parse(call->pool, request->email, &email) || !may_change(call) ||
	    !take_slot(call, &slot))
		return RESULT_OK;
	const int64_t begun_ms = clock_monotonic_ms();
	enum result result = verify(call, email.key, request->password, proven, &matches);
	if (result == RESULT_OK && call->outcome.wait_ms == 0 && !matches) /* guesses use a core for at most half of the time */
		fiber_pause(clock_monotonic_ms() - begun_ms);
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

/* Passes on the result of the change. RESULT_NOT_FOUND, which means that what was proven has changed since, becomes
 * LOGIN_WRONG. */
static enum result
changed(struct login_call *call, enum result result)
{
	if (result != RESULT_NOT_FOUND)
		return result;
	call->outcome.verdict = LOGIN_WRONG;
	return RESULT_OK;
}

/* A new session for the call's origin, and its token. */
static struct new_session
make_session(const struct login_call *call, struct slice *token)
{
	struct new_session session = { .ip = ip_address_format(call->pool, call->origin.address),
		.user_agent = call->origin.user_agent };
	*token = secret_make(call->pool, SECRET_USER);
	const struct digest hash = secret_hash(*token);
	memcpy(session.hash, hash.bytes, sizeof(session.hash));
	return session;
}

enum result
login_open(struct login_call *call, const struct login_request *request, struct slice *token)
{
	struct login_proven proven;
	const enum result result = attempt_login(call, request, &proven);
	if (result != RESULT_OK || call->outcome.verdict != LOGIN_DONE)
		return result;
	const struct new_session session = make_session(call, token);
	return changed(call, store_open_session(call->context->store, &proven.proof, &session));
}

enum result
login_find_session(const struct login_context *context, struct pool *pool, struct slice token, const struct ip_address *address,
    struct session *session)
{
	if (!secret_well_formed(SECRET_USER, token))
		return RESULT_NOT_FOUND;
	const struct digest hash = secret_hash(token);
	const enum result result = store_find_session(context->store, pool, hash.bytes, &context->limits, session);
	return result == RESULT_OK ? store_touch_session(context->store, hash.bytes, session, ip_address_format(pool, address))
				   : result;
}

enum result
login_close(const struct login_context *context, struct slice token, const struct session *session)
{
	const struct digest hash = secret_hash(token);
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
	const struct digest hash = secret_hash(call->token);
	struct login_proven proven;
	const enum result result = attempt_login(call, &request, &proven);
	if (result != RESULT_OK || call->outcome.verdict != LOGIN_DONE)
		return result;
	return changed(call, store_confirm_session(call->context->store, &proven.proof, hash.bytes));
}

/* ---- new passwords ---- */

/* Whether the user may choose the password. Returns false after LOGIN_PASSWORD_UNFIT. */
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

/* Returns false after LOGIN_BUSY. */
static bool
hash_new(struct login_call *call, struct slice password, struct slice *hash)
{
	int slot;
	if (!take_slot(call, &slot))
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
	const struct new_session opened = make_session(call, new_token);
	return changed(call, store_change_password(call->context->store, &proven.proof, hash, &opened));
}

enum result
login_find_link(const struct login_context *context, struct pool *pool, struct slice token, struct invited_user *user)
{
	if (!secret_well_formed(SECRET_USER, token))
		return RESULT_NOT_FOUND;
	const struct digest hash = secret_hash(token);
	return store_find_invitation(context->store, pool, hash.bytes, user);
}

enum result
login_use_link(struct login_call *call, struct slice token, struct slice password)
{
	struct invited_user user;
	struct slice hash;
	call->outcome = (struct login_outcome){ .verdict = LOGIN_DONE };
	if (!passes_limit(call))
		return RESULT_OK;
	const enum result result = login_find_link(call->context, call->pool, token, &user);
	if (result != RESULT_OK)
		return changed(call, result);
	if (!is_fit(call, user.email, user.name, password) || !may_change(call) || !hash_new(call, password, &hash))
		return RESULT_OK;
	const struct digest token_hash = secret_hash(token);
	return changed(call, store_use_invitation(call->context->store, token_hash.bytes, hash));
}

/* ---- second factors ---- */

/* Begins a change that needs no password. Returns false if it is refused. */
static bool
begin(struct login_call *call)
{
	call->outcome = (struct login_outcome){ .verdict = LOGIN_DONE };
	return passes_limit(call) && may_change(call);
}

enum result
login_begin_factor(struct login_call *call, struct login_factor *factor)
{
	call->outcome = (struct login_outcome){ .verdict = LOGIN_NO_KEY };
	if (!store_seals_totp(call->context->store))
		return RESULT_OK;
	call->outcome.verdict = LOGIN_DONE;
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
	const struct digest own = secret_hash(call->token);
	struct digest hashes[RECOVERY_CODES];
	struct slice secret;
	int64_t now_ms;
	uint64_t step;
	if (!begin(call))
		return RESULT_OK;
	const enum result result = store_find_new_totp(call->context->store, call->pool, user_id, &secret, &now_ms);
	if (result != RESULT_OK)
		return changed(call, result);
	if (!totp_accepts(call->pool, secret, typed_code(call->pool, code), now_ms, 0, &step)) {
		call->outcome.verdict = LOGIN_WRONG;
		return RESULT_OK;
	}
	make_codes(call->pool, codes, hashes);
	return changed(call, store_enable_totp(call->context->store, user_id, step, hashes, own.bytes));
}

enum result
login_renew_codes(struct login_call *call, struct slice codes[RECOVERY_CODES])
{
	struct digest hashes[RECOVERY_CODES];
	call->outcome = (struct login_outcome){ .verdict = LOGIN_WRONG };
	if (!call->session->has_totp || !begin(call))
		return RESULT_OK;
	make_codes(call->pool, codes, hashes);
	return changed(call, store_replace_recovery_codes(call->context->store, call->session->user_id, hashes));
}

enum result
login_remove_factor(struct login_call *call)
{
	const struct digest own = secret_hash(call->token);
	if (!begin(call))
		return RESULT_OK;
	return store_remove_totp(call->context->store, call->session->user_id, own.bytes);
}
