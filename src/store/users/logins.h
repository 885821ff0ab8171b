/* SPDX-License-Identifier: MIT
 * Logins of users: failures, what is verified, and what a verified login changes (docs/users.md 3, 4). Secrets are passed as
 * hashes.
 *
 * Texts are in the caller's pool. Functions fail as described in store.h. */
#pragma once

#include "store/store.h"

/* ---- failed logins ---- */

/* Counts an attempt with this address as a failure and commits that, so that no more attempts are made than are counted, even
 * by several processes at once, and even if one is killed. *wait_ms: 0, or the time until the next attempt; in the latter case,
 * this attempt is not counted and must not be made. Takes just as long for an address that no user has. */
MUST_CHECK enum result store_count_login(struct store *store, struct slice email, int64_t *wait_ms);
/* Takes the count back: the attempt was neither a failure nor a success. */
MUST_CHECK enum result store_uncount_login(struct store *store, struct slice email);

/* ---- logins ---- */

/* What a login is verified with. */
struct login_user {
	uint64_t id;
	struct slice email, name;
	struct slice password; /* an argon2id hash; absent: none, or the user is disabled */
	struct slice totp;     /* secret of the second factor, in Base32; absent: there is none */
	uint64_t totp_step;    /* step of the last code that was accepted */
	int64_t now_ms;
};
/* RESULT_NOT_FOUND: no user has this address; `email` is its key. */
MUST_CHECK enum result store_find_login_user(
    struct store *store, struct pool *pool, struct slice email, struct login_user *user);

/* What has been verified. It is valid until the user's row changes: the functions below return RESULT_NOT_FOUND when the
 * password has been changed, or the code used, in between. */
struct login_proof {
	const struct login_user *user;
	uint64_t totp_step;            /* step of the code; 0: no code */
	const unsigned char *recovery; /* the hash of its recovery code; NULL: none */
	struct slice rehashed;         /* the password hashed with today's parameters; absent: its hash stays */
};
struct new_session {
	unsigned char hash[32];
	struct slice ip, user_agent; /* may be absent; cut to what the columns hold */
};
/* Each of these functions resets the failures of the address. */
MUST_CHECK enum result store_open_session(
    struct store *store, const struct login_proof *proof, const struct new_session *session);
/* Records that the user of a session has proven again who they are. RESULT_NOT_FOUND also if the session has ended. */
MUST_CHECK enum result store_confirm_session(
    struct store *store, const struct login_proof *proof, const unsigned char hash[32]);
/* Ends all sessions of the user, and opens a new one. */
MUST_CHECK enum result store_change_password(
    struct store *store, const struct login_proof *proof, struct slice password, const struct new_session *session);

/* ---- for src/store/users, with the user's row locked ---- */

/* Sets the password, an argon2id hash. */
MUST_CHECK enum result logins_set_password(struct store *store, uint64_t user_id, struct slice password);
/* Failures of logins with this address no longer count. */
MUST_CHECK enum result logins_clear_failures(struct store *store, struct slice email);
