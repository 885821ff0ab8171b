/* SPDX-License-Identifier: MIT
 * Random secrets: API keys (docs/api.md 3), tokens in URLs of inbound webhooks (docs/inbound.md 1), tokens of sessions and
 * invitations, and recovery codes (docs/users.md 4, 5). They are shown once and stored as a hash. A fast hash is enough for 256
 * random bits, or for the 120 of a recovery code. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "crypto/digest.h"

/* SHA-256 of the whole text of a key or token: the form that is stored, looked up and compared. A comparison of hashes need not
 * be in constant time: a part of the hash does not reveal the secret. */
struct digest secret_hash(struct slice text);

/* Each has 43 characters of URL-safe Base64: API keys after "lh_", tokens of inbound webhooks after "in_". */
enum secret_kind { SECRET_API_KEY, SECRET_INBOUND, SECRET_USER };
struct slice secret_make(struct pool *pool, enum secret_kind kind);
/* False when the text cannot be a secret of this kind, so no look-up is needed. */
MUST_CHECK bool secret_well_formed(enum secret_kind kind, struct slice text);

enum { API_KEY_SIZE = 46 };
/* The last white-space separated token of an Authorization or Authentication header ("Bearer lh_…" and bare "lh_…" alike);
 * absent when the header has none. */
struct slice api_key_from_header(struct pool *pool, struct slice header);

/* The token in a URL or a path: its last segment. */
struct slice inbound_token_of_url(struct slice url);
/* The URL; without `base_url`, its path. It contains the campaign, by which load balancers choose a cluster (docs/cluster.md
 * 7). */
struct slice inbound_url(struct pool *pool, struct slice base_url, uint64_t campaign_id, struct slice token);

/* The link by which the user with an invitation's token sets a password; without `base_url`, its path. The token is in the
 * fragment, which is never sent to a server and so is in no log. */
struct slice user_token_link(struct pool *pool, struct slice base_url, struct slice token);

enum { RECOVERY_CODES = 10 };
/* Four groups of six letters and digits, with hyphens. */
struct slice recovery_code_make(struct pool *pool);
/* Sets *hash to the stored form of a recovery code; case, hyphens and blanks do not matter. Returns false when the text cannot
 * be one. */
MUST_CHECK bool recovery_code_hash(struct slice text, struct digest *hash);
