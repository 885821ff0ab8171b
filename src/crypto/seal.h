/* SPDX-License-Identifier: MIT
 * Seals secrets for the database: AES-256-GCM (NIST SP 800-38D) on libcrypto, with keys of the configuration (SECURITY.md,
 * Secrets in the database).
 *
 * A sealed secret is the text "sealed:1:KEY:DATA". 1 is the version of this form, KEY the id of the key (8 hexadecimal digits),
 * DATA Base64 of nonce (12 bytes), encrypted text and tag (16 bytes). Each place has a key of its own, the first block of
 * HKDF-Expand (RFC 5869 2.3) from the key of the configuration and the name of the column; the associated data are version,
 * column and id of the row. So a sealed text can be opened only where it belongs. The nonce is random: a column may have 2^32
 * texts in the lifetime of a key. Like the digests, sealing does not fail: if libcrypto cannot, the process ends.
 *
 * Layers with a store use store_seal and store_open (store/secrets.h), which know whether texts are sealed at all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

struct seal_keys;

/* SEAL_KEY_ID: characters in the id of a key. SEAL_KEYS_MAX: keys in a list. */
enum { SEAL_KEY_SIZE = 32, SEAL_KEY_ID = 8, SEAL_KEYS_MAX = 8 };

/* Where a secret is stored. */
struct seal_place {
	const char *column; /* "webhooks.secret", without the prefix. Never change it: stored secrets could not be opened */
	uint64_t id;        /* of the row */
};

/* The size of a text once it is sealed, for the sizes of columns. */
#define SEAL_SIZE(text_size) (sizeof("sealed:1::") - 1 + SEAL_KEY_ID + ((text_size) + 12 + 16 + 2) / 3 * 4)

/* Keys of 64 hexadecimal digits, separated by white space or commas: the first one seals, all of them open. With an empty list
 * nothing is sealed. Returns NULL if the list is invalid. The caller frees the keys. */
MUST_CHECK struct seal_keys *seal_keys_new(struct slice list);
void seal_keys_free(struct seal_keys **keys);
/* Whether there is a key to seal with. */
MUST_CHECK bool seal_has_key(const struct seal_keys *keys);

/* Returns the sealed text, in the pool. There must be a key. */
struct slice seal(const struct seal_keys *keys, struct pool *pool, struct seal_place place, struct slice text);

enum seal_result {
	SEAL_OPENED,
	SEAL_PLAIN,       /* it is not sealed: *text is the stored text */
	SEAL_UNKNOWN_KEY, /* sealed with another key */
	SEAL_DAMAGED      /* it was changed, or sealed for another place */
};
/* Sets *text, which is absent unless the result is one of the first two. */
MUST_CHECK enum seal_result seal_open(
    const struct seal_keys *keys, struct pool *pool, struct seal_place place, struct slice stored, struct slice *text);

/* Whether the text looks like a sealed one. */
MUST_CHECK bool seal_is_sealed(struct slice stored);
/* Whether it is sealed with the first key. */
MUST_CHECK bool seal_is_current(const struct seal_keys *keys, struct slice stored);
/* The id of the key that sealed the text; a part of the text. */
struct slice seal_key_of(struct slice stored);
