/* SPDX-License-Identifier: MIT
 * An attempt to log in, for the other files of this folder. Its order:
 *
 *   the limit of the address, a hash slot, the count of the attempt, the hash, the code, the change
 *
 * An attempt is counted, and the count committed, before a password is hashed; a refused attempt is not hashed. The answer
 * takes equally long for an address that is no user's, a user without a password, and a disabled user. */
#pragma once

#include "login/login_call.h"
#include "store/users/users.h"

/* What an attempt has proven. It contains pointers into itself: do not copy it. */
struct login_proven {
	struct login_user user;
	struct login_proof proof;
	struct digest recovery;
};

/* Counts a login from the call's address; all unknown addresses count as one. False: LOGIN_LIMITED. */
MUST_CHECK bool attempt_limit(struct login_call *call);
/* Whether the user may be changed now. False: LOGIN_REFUSED. */
MUST_CHECK bool attempt_may_change(struct login_call *call);
/* Takes a hash slot. False: LOGIN_BUSY. */
MUST_CHECK bool attempt_slot(struct login_call *call, int *slot);
/* The whole attempt. LOGIN_DONE: the change that it was made for must use up the proof. */
MUST_CHECK enum result attempt_login(struct login_call *call, const struct login_request *request, struct login_proven *proven);
/* Passes the result of that change on. RESULT_NOT_FOUND, because what was proven has changed since, becomes LOGIN_WRONG. */
MUST_CHECK enum result attempt_changed(struct login_call *call, enum result result);
/* A new session for the call's origin, and its token. */
struct new_session attempt_new_session(const struct login_call *call, struct slice *token);
