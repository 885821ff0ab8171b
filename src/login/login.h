/* SPDX-License-Identifier: MIT
 * Logins of users, their sessions, passwords and second factors, without HTTP (docs/users.md 3, 4, 5). The rules are in
 * identity/, the rows in store/users/.
 *
 * Functions return RESULT_OK with a verdict in call->outcome, or a failure of the store (store/store.h) without one. Passwords,
 * tokens and codes are neither stored nor logged. */
#pragma once

#include "base/duration.h"
#include "identity/network.h"
#include "identity/password_rules.h"
#include "limit/limiter.h"
#include "limit/work_slots.h"
#include "store/users/logins.h"
#include "store/users/second_factor.h"
#include "store/users/user_sessions.h"
#include "store/users/users.h"

/* Common to all calls of a process; never changed by them. */
struct login_context {
	struct store *store;
	struct limiter *limiter;
	struct work_slots *slots;
	struct session_limits limits;
	struct slice base_url;     /* of the service, for links; may be empty */
	struct slice service_name; /* apps show it beside a code */
};

/* Where a call comes from. */
struct login_origin {
	const struct ip_address *address; /* NULL: unknown, as behind a web server that listens on a unix socket */
	struct slice user_agent;          /* or absent */
	/* Called once: after everything that can be refused without it, and before the password or code that the change needs
	 * is verified. Returns false if it has answered the call; the verdict is then LOGIN_REFUSED. NULL: every change is
	 * allowed. */
	bool (*may_change)(void *caller);
	void *caller;
};

enum login_verdict {
	LOGIN_DONE,
	LOGIN_WRONG,          /* wrong address, password or code, or a session or link that does not exist */
	LOGIN_CODE_NEEDED,    /* the password is right, and a code must be given with it */
	LOGIN_LIMITED,        /* too many logins from the address: `limit` */
	LOGIN_THROTTLED,      /* too many failures for this user's address: wait_ms */
	LOGIN_BUSY,           /* too many passwords are being hashed; wait_ms is a guess */
	LOGIN_PASSWORD_UNFIT, /* the new password is refused: `password` is the reason */
	LOGIN_NO_KEY,         /* no second factor is possible: the configuration has no key to seal its secret */
	LOGIN_HAS_FACTOR,     /* the user already has a second factor */
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

struct login_call {
	const struct login_context *context;
	struct pool *pool; /* for texts in results */
	struct login_origin origin;
	/* The session of the caller and its token, for functions that need one. */
	struct slice token;
	const struct session *session;
	struct login_outcome outcome; /* set by functions that return RESULT_OK */
};

/* LOGIN_DONE: *token is the token of a new session, for its cookie. */
MUST_CHECK enum result login_open(struct login_call *call, const struct login_request *request, struct slice *token);

/* Finds the session of a token, and records that it was used from the address (NULL: unknown). RESULT_NOT_FOUND: there is none,
 * it has ended, or its user is disabled. Do not cache the session for longer than a request. Texts are in the pool. */
MUST_CHECK enum result login_find_session(const struct login_context *context, struct pool *pool, struct slice token,
    const struct ip_address *address, struct session *session);
/* Ends the session. RESULT_NOT_FOUND: it had already ended. */
MUST_CHECK enum result login_close(const struct login_context *context, struct slice token, const struct session *session);

/* A dangerous change needs a session that was confirmed within this time. */
enum { LOGIN_CONFIRMED_MS = 10 * MINUTE_MS };
MUST_CHECK bool login_is_confirmed(const struct session *session);
/* Confirms the session by the password, and by a code if the user has a second factor; throttled and limited like a login. */
MUST_CHECK enum result login_confirm(struct login_call *call, struct slice password, struct slice code);

/* ---- new passwords ---- */

/* What a user types to choose a new password. */
struct login_new_password {
	struct slice current, code; /* the code if there is a second factor */
	struct slice password;      /* the new one */
};
/* LOGIN_DONE: all sessions of the user have ended; *new_token is the token of a new one. */
MUST_CHECK enum result login_change_password(
    struct login_call *call, const struct login_new_password *typed, struct slice *new_token);

/* The user whom a link invites. RESULT_NOT_FOUND: the link does not exist, was used or replaced, or has expired. Texts are in
 * the pool. */
MUST_CHECK enum result login_find_link(
    const struct login_context *context, struct pool *pool, struct slice token, struct invited_user *user);
/* Uses up the link and sets the password; the user then logs in with it. Counts as a login from the address. */
MUST_CHECK enum result login_use_link(struct login_call *call, struct slice token, struct slice password);

/* ---- second factors: these functions need the caller's session, and count as logins from the address ---- */

/* A new secret, in the pool. It takes effect once the user has entered a code that was made with it. */
struct login_factor {
	struct slice secret, url; /* in Base32, and as a URL for a QR code */
};
/* LOGIN_NO_KEY, LOGIN_HAS_FACTOR, or LOGIN_DONE with *factor. */
MUST_CHECK enum result login_begin_factor(struct login_call *call, struct login_factor *factor);
/* Enables the factor that was begun, and ends the user's other sessions. LOGIN_WRONG: the code is not one of its codes, or no
 * factor was begun. LOGIN_DONE: `codes` are the recovery codes, which are shown once. */
MUST_CHECK enum result login_enable_factor(struct login_call *call, struct slice code, struct slice codes[RECOVERY_CODES]);
/* Replaces the recovery codes. LOGIN_WRONG: the user has no second factor. */
MUST_CHECK enum result login_renew_codes(struct login_call *call, struct slice codes[RECOVERY_CODES]);
/* Removes the factor, and ends the user's other sessions. */
MUST_CHECK enum result login_remove_factor(struct login_call *call);
