/* SPDX-License-Identifier: MIT
 * SHA-256, HMAC-SHA256 and SHA-384 on libcrypto. Input in several pieces is hashed as if they were concatenated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { DIGEST_SIZE = 32 };

/* The raw bytes of a digest. */
struct digest {
	unsigned char bytes[DIGEST_SIZE];
};

/* Neither fails: if libcrypto has no SHA-256 or no memory, the process ends. */
struct digest digest_sha256(const struct slice *pieces, size_t count);
/* The key may have any length, including zero (RFC 2104). */
struct digest digest_hmac_sha256(struct slice key, const struct slice *pieces, size_t count);

/* The 48 bytes of SHA-384. Slower, for rare use. Does not fail either. */
struct slice digest_sha384(struct pool *pool, struct slice text);

/* Each thread caches its libcrypto contexts. A thread that ends before the process frees them with this. */
void digest_end_thread(void);

/* `digest` must outlive the slice. */
struct slice digest_slice(const struct digest *digest);

/* Compares secrets in constant time: the time depends on the sizes only. */
MUST_CHECK bool digest_equal(struct slice a, struct slice b);
