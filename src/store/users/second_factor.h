/* SPDX-License-Identifier: MIT
 * The second factor of users (docs/users.md 5): its secret, which is stored sealed, and its recovery codes, which are passed as
 * hashes.
 *
 * Texts are in the caller's pool. Functions fail as described in store.h. */
#pragma once

#include "crypto/digest.h"
#include "identity/random_secret.h"
#include "store/store.h"

/* Whether the configuration has a key that secrets are sealed with. Without one there is no second factor. */
MUST_CHECK bool store_seals_totp(const struct store *store);
/* Stores a secret that is not in effect yet. There must be a key. RESULT_REFUSED: the user already has a second factor. */
MUST_CHECK enum result store_begin_totp(struct store *store, uint64_t user_id, struct slice secret);
/* The secret of store_begin_totp, not yet confirmed. RESULT_NOT_FOUND: none. */
MUST_CHECK enum result store_find_new_totp(
    struct store *store, struct pool *pool, uint64_t user_id, struct slice *secret, int64_t *now_ms);
/* From now on logins need a code later than `step`, or one of these recovery codes, each only once. Ends the user's other
 * sessions. RESULT_NOT_FOUND: there is no secret to confirm. */
MUST_CHECK enum result store_enable_totp(struct store *store, uint64_t user_id, uint64_t step,
    const struct digest recovery[RECOVERY_CODES], const unsigned char session[32]);
/* Replaces the recovery codes. RESULT_NOT_FOUND: the user has no second factor. */
MUST_CHECK enum result store_replace_recovery_codes(
    struct store *store, uint64_t user_id, const struct digest recovery[RECOVERY_CODES]);
/* Ends the user's other sessions. */
MUST_CHECK enum result store_remove_totp(struct store *store, uint64_t user_id, const unsigned char session[32]);

/* For src/store/users. Opens a stored secret. RESULT_FAILED, logged: it was sealed with another key, or is damaged. */
MUST_CHECK enum result second_factor_open(
    struct store *store, struct pool *pool, uint64_t user_id, struct slice stored, struct slice *secret);
/* For src/store/users, with the user's row locked: the first removes the recovery codes, the second also the secret. */
MUST_CHECK enum result second_factor_delete_codes(struct store *store, uint64_t user_id);
MUST_CHECK enum result second_factor_remove(struct store *store, uint64_t user_id);
