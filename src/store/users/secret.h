/* SPDX-License-Identifier: MIT
 * The secret of a user's second factor as it is stored: sealed with a key of the configuration. The only place that seals and
 * opens it. Internal to src/store/users. */
#pragma once

#include "store/state.h"

/* Whether there is a key. */
MUST_CHECK bool users_can_seal(const struct store *store);
/* There must be a key. */
struct slice users_seal(struct store *store, struct pool *pool, uint64_t user_id, struct slice secret);
/* RESULT_FAILED, logged: it was sealed with another key, or is damaged. */
MUST_CHECK enum result users_open(
    struct store *store, struct pool *pool, uint64_t user_id, struct slice stored, struct slice *secret);
