/* SPDX-License-Identifier: MIT
 * What the files of this folder share. Internal to src/store/users. The user's row is locked. */
#pragma once

#include "crypto/digest.h"
#include "store/store.h"

/* `count` may be NULL. */
MUST_CHECK enum result users_end_sessions(struct store *store, uint64_t user_id, uint64_t *count);
/* All but one of the user's sessions. */
MUST_CHECK enum result users_end_other_sessions(struct store *store, uint64_t user_id, const unsigned char hash[32]);
MUST_CHECK enum result users_set_password(struct store *store, uint64_t user_id, struct slice hash);
/* With its recovery codes. */
MUST_CHECK enum result users_remove_totp(struct store *store, uint64_t user_id);
MUST_CHECK enum result users_remove_recovery_codes(struct store *store, uint64_t user_id);
/* No failures of logins with this address count any more. */
MUST_CHECK enum result users_clear_attempts(struct store *store, struct slice email);
/* The row of an address in login_attempts. */
MUST_CHECK enum result users_attempts_hash(struct store *store, struct slice email, struct digest *hash);
