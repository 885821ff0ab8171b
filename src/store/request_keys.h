/* SPDX-License-Identifier: MIT
 * Calls that are made once (Idempotency-Key, docs/manage.md 1.5). */
#ifndef LEADHOOK_STORE_REQUEST_KEYS_H
#define LEADHOOK_STORE_REQUEST_KEYS_H

#include "store/store.h"

/* The key of a call, with its caller, and its parameters, as hashes. */
struct request_key {
	unsigned char hash[32], parameters[32];
};

/* From now on the first object that is made (its id is taken by store_next_id), job of leads that is queued or command that is
 * executed has this key: in its transaction, and not if something had the key before. Then the change fails with
 * RESULT_CONFLICT. NULL: no key any more. The key must stay valid as long. */
void store_expect_request(struct store *store, const struct request_key *key);
/* Whether something was made with the key before, without making anything. RESULT_NOT_FOUND: no, or there is no key. */
MUST_CHECK enum result store_find_request(struct store *store);
/* Whether that was the reason, or was found: the id of what was made, and whether the parameters were the same. */
MUST_CHECK bool store_found_request(const struct store *store, uint64_t *object_id, bool *same);

/* Removes, in pieces, keys of more than REQUEST_KEY_DAYS days ago. Called by store_clean_up. */
enum { REQUEST_KEY_DAYS = 7 };
MUST_CHECK enum result store_clean_up_request_keys(struct store *store);

/* Called with the id of a new object, or of the campaign of a command, in its transaction. Internal to src/store. */
MUST_CHECK enum result request_keys_note(struct store *store, struct pool *pool, uint64_t object_id);

#endif
