/* SPDX-License-Identifier: MIT
 * Sessions of users (docs/users.md 4). Tokens are passed as hashes.
 *
 * Texts are in the caller's pool. Functions fail as described in store.h. */
#pragma once

#include "identity/rights.h"
#include "store/store.h"

/* How long sessions last after the last use, and after the login. */
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
/* Finds a valid session of a user who is not disabled. */
MUST_CHECK enum result store_find_session(struct store *store, struct pool *pool, const unsigned char hash[32],
    const struct session_limits *limits, struct session *session);
/* Records that the session was used, and from where, at most once a minute. */
MUST_CHECK enum result store_touch_session(
    struct store *store, const unsigned char hash[32], const struct session *session, struct slice ip);

struct session_row {
	struct slice hash; /* 32 bytes */
	int64_t created_ms, last_used_ms;
	struct slice ip, user_agent; /* user_agent: any bytes. May be absent */
};
/* The valid sessions of a user, the newest first; at most SESSIONS_LISTED. */
enum { SESSIONS_LISTED = 100 };
MUST_CHECK enum result store_list_sessions(struct store *store, struct pool *pool, uint64_t user_id,
    const struct session_limits *limits, struct session_row **sessions, size_t *count);
/* RESULT_NOT_FOUND: the user has no such session. */
MUST_CHECK enum result store_end_session(struct store *store, uint64_t user_id, const unsigned char hash[32]);

/* For src/store/users, with the user's row locked: the first ends all sessions of a user, the second all but one. `count` may
 * be NULL. */
MUST_CHECK enum result sessions_end(struct store *store, uint64_t user_id, uint64_t *count);
MUST_CHECK enum result sessions_end_others(struct store *store, uint64_t user_id, const unsigned char hash[32]);
