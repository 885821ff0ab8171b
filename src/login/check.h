/* SPDX-License-Identifier: MIT
 * What the files of this folder share: an attempt with a password. */
#ifndef LEADHOOK_LOGIN_CHECK_H
#define LEADHOOK_LOGIN_CHECK_H

#include <string.h>

#include "limit/address.h"
#include "login/login.h"

/* What an attempt has verified. It must stay where it is. */
struct login_check {
	struct login_user user;
	struct login_proof proof;
	struct digest recovery;
};

/* Counts a login of the address; all of unknown ones are of one. False: LOGIN_LIMITED. */
MUST_CHECK bool check_limit(
    const struct login_context *context, const struct ip_address *address, struct login_outcome *outcome);
/* Whether the user may be changed now. False: LOGIN_REFUSED. */
MUST_CHECK bool check_may_change(const struct login_origin *origin, struct login_outcome *outcome);
/* Takes a hash slot. False: LOGIN_BUSY. */
MUST_CHECK bool check_slot(const struct login_context *context, int *slot, struct login_outcome *outcome);
/* A whole attempt. LOGIN_DONE: the proof is to be used for a change. */
MUST_CHECK enum result check_user(const struct login_context *context, struct pool *pool, const struct login_request *request,
    const struct login_origin *origin, struct login_check *check, struct login_outcome *outcome);
/* Of a change that rests on what was verified: when that has changed since, the attempt was wrong. */
MUST_CHECK enum result check_changed(enum result result, struct login_outcome *outcome);
struct new_session check_new_session(struct pool *pool, const struct login_origin *origin, struct slice *token);
/* Whether a user may choose the password. False: LOGIN_PASSWORD_UNFIT. */
MUST_CHECK bool check_new_password(const struct login_context *context, struct pool *pool, struct slice email,
    struct slice name, struct slice password, struct login_outcome *outcome);

#endif
