/* SPDX-License-Identifier: MIT
 * Secrets of users other than passwords: tokens of sessions and invitations, and recovery codes (docs/users.md 4, 5). They are
 * random, so a fast hash suffices for storing them. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "crypto/digest.h"

/* A token has 256 random bits as URL-safe Base64, a recovery code 120 as Base32. */
enum { USER_TOKEN_SIZE = 43, RECOVERY_CODES = 10 };

struct slice user_token_make(struct pool *pool);
/* False when the text cannot be a token, so no look-up is needed. */
MUST_CHECK bool user_token_well_formed(struct slice text);
/* SHA-256 of the text: the form that is stored and looked up. */
struct digest user_token_hash(struct slice token);

/* The link by which the user with an invitation's token sets a password; without `base_url`, its path. The token is in the
 * fragment, which is sent to no server and is in no log. */
struct slice user_token_link(struct pool *pool, struct slice base_url, struct slice token);

/* Four groups of six letters and digits, with hyphens. */
struct slice recovery_code_make(struct pool *pool);
/* Sets *hash to the stored form of a recovery code; case, hyphens and blanks do not matter. Returns false when the text cannot
 * be one. */
MUST_CHECK bool recovery_code_hash(struct slice text, struct digest *hash);
