/* SPDX-License-Identifier: MIT
 * New passwords: of a user who has one, and by a link (docs/users.md 3). */
#pragma once

#include "login/login_call.h"
#include "store/users/users.h"

/* What a user types to replace its password. */
struct login_new_password {
	struct slice current, code; /* the code if there is a second factor */
	struct slice password;      /* the new one */
};
/* LOGIN_DONE: all sessions of the user have ended, *new_token is the token of a new one. */
MUST_CHECK enum result login_change_password(
    struct login_call *call, const struct login_new_password *typed, struct slice *new_token);

/* The user whom a link invites. RESULT_NOT_FOUND: the link does not exist, was used or replaced, or has expired. Texts are in
 * the pool. */
MUST_CHECK enum result login_find_link(
    const struct login_context *context, struct pool *pool, struct slice token, struct invited_user *user);
/* Uses the link up and sets the password; the user then logs in with it. Counts as a login from the address. */
MUST_CHECK enum result login_use_link(struct login_call *call, struct slice token, struct slice password);
