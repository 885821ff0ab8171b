/* SPDX-License-Identifier: MIT
 * Logins of users and their sessions, without HTTP (docs/users.md 3, 4). The rules are in identity/, the rows in store/users/.
 *
 * Functions of this folder return RESULT_OK with a verdict in call->outcome, or a failure of the store (store/store.h) without
 * one. Passwords, tokens and codes are neither stored nor logged. */
#pragma once

#include "login/login_call.h"

/* LOGIN_DONE: *token is the token of a new session, for its cookie. */
MUST_CHECK enum result login_open(struct login_call *call, const struct login_request *request, struct slice *token);

/* Finds the session of a token, and records that it was used from the address (NULL: unknown). RESULT_NOT_FOUND: there is none,
 * it has ended, or its user is disabled. Do not cache the session for longer than a request. Texts are in the pool. */
MUST_CHECK enum result login_find_session(const struct login_context *context, struct pool *pool, struct slice token,
    const struct ip_address *address, struct session *session);
/* Ends the session. RESULT_NOT_FOUND: it has ended before. */
MUST_CHECK enum result login_close(const struct login_context *context, struct slice token, const struct session *session);

/* A dangerous change needs a session that was confirmed within this time. */
enum { LOGIN_CONFIRMED_MS = 10 * 60 * 1000 };
MUST_CHECK bool login_is_confirmed(const struct session *session);
/* Confirms the session by the password, and by a code if the user has a second factor; throttled and limited like a login. */
MUST_CHECK enum result login_confirm(struct login_call *call, struct slice password, struct slice code);
