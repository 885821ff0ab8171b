/* SPDX-License-Identifier: MIT
 * Logins and sessions of users (docs/users.md 3, 4, 5). What is secret comes as a hash.
 *
 * Texts are in the caller's pool. Functions fail as store.h says. */
#pragma once

#include "identity/role.h"
#include "identity/user_token.h"
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

/* ---- sessions ---- */

/* How long they last: after the last use, after the login. */
struct session_limits {
	int64_t idle_ms, max_ms;
};

struct session {
	uint64_t user_id, account_id; /* account 0: an operator */
	struct slice account_name;    /* absent: an operator */
	struct slice time_zone;       /* of the account; absent: UTC */
	struct slice email, name;
	enum role role;
	rights rights;
	struct slice campaigns; /* as in struct user_settings; absent: all */
	bool account_suspended, has_totp;
	int64_t account_per_minute; /* as in struct api_key */
	int64_t created_ms, last_used_ms, confirmed_ms, now_ms;
};
/* A session that lasts, of a user who is not disabled. */
MUST_CHECK enum result store_find_session(struct store *store, struct pool *pool, const unsigned char hash[32],
    const struct session_limits *limits, struct session *session);
/* Records that it was used, and from where, at most once a minute. */
MUST_CHECK enum result store_touch_session(
    struct store *store, const unsigned char hash[32], const struct session *session, struct slice ip);

struct session_row {
	struct slice hash; /* 32 bytes */
	int64_t created_ms, last_used_ms;
	struct slice ip, user_agent; /* user_agent: any bytes. May be absent */
};
/* Those of a user that last, the newest first; at most SESSIONS_LISTED. */
enum { SESSIONS_LISTED = 100 };
MUST_CHECK enum result store_list_sessions(struct store *store, struct pool *pool, uint64_t user_id,
    const struct session_limits *limits, struct session_row **sessions, size_t *count);
/* RESULT_NOT_FOUND: the user has no such session. */
MUST_CHECK enum result store_end_session(struct store *store, uint64_t user_id, const unsigned char hash[32]);

/* ---- the second factor ---- */

/* Whether the configuration has a key that secrets are sealed with. Without one there is no second factor. */
MUST_CHECK bool store_seals_totp(const struct store *store);
/* Stores a secret that does not count yet. There must be a key. RESULT_REFUSED: the user has a second factor already. */
MUST_CHECK enum result store_begin_totp(struct store *store, uint64_t user_id, struct slice secret);
/* The secret of store_begin_totp, which is not confirmed. RESULT_NOT_FOUND: none. */
MUST_CHECK enum result store_find_new_totp(
    struct store *store, struct pool *pool, uint64_t user_id, struct slice *secret, int64_t *now_ms);
/* From now on logins need a code later than `step`, or one of these recovery codes, once each. Ends the user's other sessions.
 * RESULT_NOT_FOUND: there is no secret to be confirmed. */
MUST_CHECK enum result store_enable_totp(struct store *store, uint64_t user_id, uint64_t step,
    const struct digest recovery[RECOVERY_CODES], const unsigned char session[32]);
/* Replaces the recovery codes. RESULT_NOT_FOUND: the user has no second factor. */
MUST_CHECK enum result store_replace_recovery_codes(
    struct store *store, uint64_t user_id, const struct digest recovery[RECOVERY_CODES]);
/* Ends the user's other sessions. */
MUST_CHECK enum result store_remove_totp(struct store *store, uint64_t user_id, const unsigned char session[32]);
