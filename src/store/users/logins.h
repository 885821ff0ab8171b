/* SPDX-License-Identifier: MIT
 * Logins of users: failures, what is verified, and what a verified login changes (docs/users.md 3, 4). Secrets come as hashes.
 *
 * Texts are in the caller's pool. Functions fail as store.h says. */
#pragma once

#include "store/store.h"

/* ---- failed logins ---- */

/* Counts an attempt with this address, as a failure, and commits it, so that no more attempts are made than are counted, also
 * by several processes at once, and whatever is killed. *wait_ms: 0, or the time until the next attempt; this one is not
 * counted then, and must not be made. Takes as long for an address that is no user's. */
MUST_CHECK enum result store_count_login(struct store *store, struct slice email, int64_t *wait_ms);
/* Takes it back: it was neither a failure nor a success. */
MUST_CHECK enum result store_uncount_login(struct store *store, struct slice email);

/* ---- logins ---- */

/* What a login is verified with. */
struct login_user {
	uint64_t id;
	struct slice email, name;
	struct slice password; /* an argon2id hash; absent: none, or the user is disabled */
	struct slice totp;     /* secret of the second factor, in Base32; absent: there is none */
	uint64_t totp_step;    /* of the last code that was accepted */
	int64_t now_ms;
};
/* RESULT_NOT_FOUND: no user has this address, the key of which `email` is. */
MUST_CHECK enum result store_find_login_user(
    struct store *store, struct pool *pool, struct slice email, struct login_user *user);

/* What has been verified. It holds while the user's row has not changed: it is RESULT_NOT_FOUND for the functions below when
 * the password is another one meanwhile, or the code was used. */
struct login_proof {
	const struct login_user *user;
	uint64_t totp_step;            /* of its code; 0: no code */
	const unsigned char *recovery; /* the hash of its recovery code; NULL: none */
	struct slice rehashed;         /* the password with the parameters of today; absent: its hash stays */
};
struct new_session {
	unsigned char hash[32];
	struct slice ip, user_agent; /* may be absent; cut to what the columns hold */
};
/* Each clears the failures of the address. */
MUST_CHECK enum result store_open_session(
    struct store *store, const struct login_proof *proof, const struct new_session *session);
/* The user has proven again to be at the other end of a session. RESULT_NOT_FOUND also when the session has ended. */
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
