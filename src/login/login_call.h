/* SPDX-License-Identifier: MIT
 * What all functions of this folder take: a call, with where it comes from, the session that it has, and its outcome. */
#pragma once

#include "identity/network.h"
#include "identity/password_rules.h"
#include "limit/limiter.h"
#include "limit/work_slots.h"
#include "store/users/sessions.h"

/* Common to all calls of a process; never changed by them. */
struct login_context {
	struct store *store;
	struct limiter *limiter;
	struct work_slots *slots;
	struct session_limits limits;
	struct slice base_url;     /* of the service, for links; may be empty */
	struct slice service_name; /* as apps show it beside a code */
};

/* Where a call comes from. */
struct login_origin {
	const struct ip_address *address; /* NULL: unknown, as behind a web server that listens on a unix socket */
	struct slice user_agent;          /* or absent */
	/* Asked once, after everything that can be refused without it, and before anything that a change needs is verified.
	 * Returns false when it has answered: LOGIN_REFUSED. NULL: every change is allowed. */
	bool (*may_change)(void *caller);
	void *caller;
};

enum login_verdict {
	LOGIN_DONE,
	LOGIN_WRONG,          /* address, password or code; or the session or link does not exist (any more) */
	LOGIN_CODE_NEEDED,    /* the password is right, and a code must be given with it */
	LOGIN_LIMITED,        /* too many logins from the address: `limit` */
	LOGIN_THROTTLED,      /* too many failures for this user's address: wait_ms */
	LOGIN_BUSY,           /* too many passwords are being hashed; wait_ms is a guess */
	LOGIN_PASSWORD_UNFIT, /* the new password is refused: `password` says why */
	LOGIN_NO_KEY,         /* no second factor: the configuration has no key to seal its secret */
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
	struct pool *pool; /* of texts in results */
	struct login_origin origin;
	/* The session of the caller and its token, where a function needs one. */
	struct slice token;
	const struct session *session;
	struct login_outcome outcome; /* set by functions that return RESULT_OK */
};
