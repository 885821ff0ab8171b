/* SPDX-License-Identifier: MIT
 * What a caller requires for its change: that the settings are still the ones it has read (If-Match), and that no earlier call
 * with the same key made the change (Idempotency-Key; docs/manage.md 1.3, 1.5).
 *
 * Functions that take a precondition check it inside their transaction, and change nothing when it does not hold. NULL:
 * none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"

struct store;

/* SHA-256 of the caller, path and key, and of the call's parameters. */
struct request_key {
	unsigned char hash[32], parameters[32];
};

struct precondition {
	const uint64_t *settings_version; /* version of the campaign; NULL: any. RESULT_OUTDATED: it has another version */
	const struct request_key *key;    /* NULL: none. RESULT_REPEATED: it has been used */
};

/* What an earlier call with the same key made. */
struct repeated_request {
	uint64_t object_id;   /* the new object; for a command that changes leads, its campaign */
	bool same_parameters; /* whether they are the same as those of the key that is looked up */
};
/* RESULT_NOT_FOUND: the key has not been used. */
MUST_CHECK enum result store_find_request(struct store *store, const struct request_key *key, struct repeated_request *request);

/* Inside the transaction that makes an object: records its id for the precondition's key, if there is one. */
MUST_CHECK enum result store_use_request_key(
    struct store *store, struct pool *pool, const struct precondition *precondition, uint64_t object_id);
