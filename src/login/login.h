/* SPDX-License-Identifier: MIT
 * Logins of users, their sessions, passwords and second factors, without HTTP (docs/users.md 3, 4, 5). The rules are in
 * identity/, the rows in store/users/; what is here brings them together in the right order:
 *
 *   the limit of the address, a hash slot, the count of the attempt, the hash, the code, the change
 *
 * An attempt is counted, and committed, before a password is hashed; one that is refused is not hashed. An answer takes as long
 * for an address that is no user's, for a user without a password and for a disabled one.
 *
 * Texts are in the caller's pool. A function returns RESULT_OK with a verdict, or a failure of the store (store/store.h): no
 * verdict then. Neither passwords nor tokens or codes are stored or logged. */
#ifndef LEADHOOK_LOGIN_LOGIN_H
#define LEADHOOK_LOGIN_LOGIN_H

#include "identity/network.h"
#include "identity/password_rules.h"
#include "limit/limiter.h"
#include "limit/work_slots.h"
#include "store/users/sessions.h"
#include "store/users/users.h"

/* What the functions need; nothing of it is changed. */
struct login_context {
	struct store *store;
	struct limiter *limiter;
	struct work_slots *slots;
	struct session_limits limits;
	struct slice base_url;     /* of the service, for links; may be empty */
	struct slice service_name; /* as apps show it beside a code */
};

/* Where a request comes from. */
struct login_origin {
	const struct ip_address *address; /* NULL: unknown, as behind a web server that listens on a unix socket */
	struct slice user_agent;          /* or absent */
	/* Called once, before what is needed for a change of the user is verified, and after all that is refused without it.
	 * False: it has answered, LOGIN_REFUSED. NULL: nothing is changed, or it may. */
	bool (*may_change)(void *caller);
	void *caller;
};

enum login_verdict {
	LOGIN_DONE,
	LOGIN_WRONG,          /* address, password or code; or the session or link does not exist (any more) */
	LOGIN_CODE_NEEDED,    /* the password is right, and a code must be given with it */
	LOGIN_LIMITED,        /* too many logins of the address: `limit` */
	LOGIN_THROTTLED,      /* too many failures with this user's address: wait_ms */
	LOGIN_BUSY,           /* too many passwords are hashed now; wait_ms is a guess */
	LOGIN_PASSWORD_UNFIT, /* the new password: `password` is the reason */
	LOGIN_NO_KEY,         /* no second factor, because the configuration has no key to seal its secret with */
	LOGIN_HAS_FACTOR,     /* the user has a second factor already */
	LOGIN_REFUSED         /* by may_change */
};
struct login_outcome {
	enum login_verdict verdict;
	int64_t wait_ms;
	struct limit_verdict limit;
	enum password_verdict password;
};

/* What a user types. */
struct login_request {
	struct slice email, password;
	struct slice code; /* of an app, or a recovery code; absent or empty: none */
};

/* LOGIN_DONE: *token is the token of a new session, for its cookie. */
MUST_CHECK enum result login_open(const struct login_context *context, struct pool *pool, const struct login_request *request,
    const struct login_origin *origin, struct slice *token, struct login_outcome *outcome);

/* The session of a token, and records that it was used, from an address as in `login_origin`. RESULT_NOT_FOUND: it does not
 * exist, has ended, or its user is disabled. The result must not be cached for longer than a request. */
MUST_CHECK enum result login_find_session(const struct login_context *context, struct pool *pool, struct slice token,
    const struct ip_address *address, struct session *session);
/* Ends it. RESULT_NOT_FOUND: it had ended. */
MUST_CHECK enum result login_close(const struct login_context *context, struct slice token, const struct session *session);

/* Before what is dangerous the user proves the login again: valid for LOGIN_CONFIRMED_MS. */
enum { LOGIN_CONFIRMED_MS = 10 * 60 * 1000 };
MUST_CHECK bool login_is_confirmed(const struct session *session);
/* `password`, and `code` if there is a second factor; it has the throttle and the limits of a login. */
MUST_CHECK enum result login_confirm(const struct login_context *context, struct pool *pool, struct slice token,
    const struct session *session, struct slice password, struct slice code, const struct login_origin *origin,
    struct login_outcome *outcome);

/* Sets another password. LOGIN_DONE: all sessions of the user have ended, *new_token is that of a new one. */
MUST_CHECK enum result login_change_password(const struct login_context *context, struct pool *pool,
    const struct session *session, const struct login_request *current, struct slice password,
    const struct login_origin *origin, struct slice *new_token, struct login_outcome *outcome);

/* ---- links ---- */

/* The user that a token invites. RESULT_NOT_FOUND: the link does not exist, was used, replaced, or has expired. */
MUST_CHECK enum result login_find_link(
    const struct login_context *context, struct pool *pool, struct slice token, struct invited_user *user);
/* Uses a link up: sets the password. The user then logs in with it. It counts for the address as a login does. */
MUST_CHECK enum result login_use_link(const struct login_context *context, struct pool *pool, struct slice token,
    struct slice password, const struct login_origin *origin, struct login_outcome *outcome);

/* ---- the second factor ---- */

/* A new secret, which counts when a code of it has been given. */
struct login_factor {
	struct slice secret, url; /* in Base32, and as an address for a QR code */
};
/* LOGIN_NO_KEY, LOGIN_HAS_FACTOR, or LOGIN_DONE with *factor. */
MUST_CHECK enum result login_begin_factor(const struct login_context *context, struct pool *pool, const struct session *session,
    struct login_factor *factor, struct login_outcome *outcome);
/* Enables it, and ends the user's other sessions. LOGIN_LIMITED as for a login. LOGIN_WRONG: the code is not one of it, or none
 * was begun. LOGIN_DONE: the recovery codes, which are shown once. */
MUST_CHECK enum result login_enable_factor(const struct login_context *context, struct pool *pool, struct slice token,
    const struct session *session, struct slice code, const struct login_origin *origin, struct slice codes[RECOVERY_CODES],
    struct login_outcome *outcome);
/* Other recovery codes in place of the present ones. LOGIN_LIMITED as for a login. LOGIN_WRONG: the user has no second factor.
 */
MUST_CHECK enum result login_renew_codes(const struct login_context *context, struct pool *pool, const struct session *session,
    const struct login_origin *origin, struct slice codes[RECOVERY_CODES], struct login_outcome *outcome);
/* Removes it, and ends the user's other sessions. LOGIN_LIMITED as for a login. */
MUST_CHECK enum result login_remove_factor(const struct login_context *context, struct slice token,
    const struct session *session, const struct login_origin *origin, struct login_outcome *outcome);

#endif
