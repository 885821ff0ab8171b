/* SPDX-License-Identifier: MIT
 * SHA-256, HMAC-SHA256, SHA-384 and PBKDF2 on libcrypto. Input in several pieces is hashed as if they were concatenated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

enum { DIGEST_SIZE = 32 };

/* The raw bytes of a digest. */
struct digest {
	unsigned char bytes[DIGEST_SIZE];
};

/* None of these fails: if libcrypto has no such algorithm or no memory, the process ends. */
struct digest digest_sha256(const struct slice *pieces, size_t count);
/* The key may have any length, including zero (RFC 2104). */
struct digest digest_hmac_sha256(struct slice key, const struct slice *pieces, size_t count);

/* The 48 bytes of SHA-384. Slower, for rare use. */
struct slice digest_sha384(struct pool *pool, struct slice text);
/* A key by PBKDF2 with HMAC-SHA256 (RFC 8018). `iterations` is at least 1; 2,000 of them take about a millisecond. */
struct digest digest_pbkdf2(struct slice password, struct slice salt, uint32_t iterations);

/* Logs the error and ends the process, which cannot continue without libcrypto. */
NO_RETURN void digest_library_failed(const char *error);

/* Each thread caches its libcrypto contexts. A thread that ends before the process frees them with this. */
void digest_end_thread(void);

/* `digest` must outlive the slice. */
struct slice digest_slice(const struct digest *digest);

/* Compares secrets in constant time: the time depends on the sizes only. */
MUST_CHECK bool digest_equal(struct slice a, struct slice b);
