/* SPDX-License-Identifier: MIT
 * The second factor, as users add and remove it (docs/users.md 5). The functions need the caller's session, and limit the
 * address like a login (LOGIN_LIMITED). */
#pragma once

#include "login/login_call.h"
#include "store/users/users.h"

/* A new secret; it counts once a code made with it was given. In the pool. */
struct login_factor {
	struct slice secret, url; /* in Base32, and as a URL for a QR code */
};
/* LOGIN_NO_KEY, LOGIN_HAS_FACTOR, or LOGIN_DONE with *factor. */
MUST_CHECK enum result login_begin_factor(struct login_call *call, struct login_factor *factor);
/* Enables the factor that was begun, and ends the user's other sessions. LOGIN_WRONG: the code is not one of its codes, or none
 * was begun. LOGIN_DONE: the recovery codes, which are shown once. */
MUST_CHECK enum result login_enable_factor(struct login_call *call, struct slice code, struct slice codes[RECOVERY_CODES]);
/* Replaces the recovery codes. LOGIN_WRONG: the user has no second factor. */
MUST_CHECK enum result login_renew_codes(struct login_call *call, struct slice codes[RECOVERY_CODES]);
/* Removes the factor, and ends the user's other sessions. */
MUST_CHECK enum result login_remove_factor(struct login_call *call);
