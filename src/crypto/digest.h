/* SPDX-License-Identifier: MIT
 * SHA-256 and HMAC-SHA256 on libcrypto. What is hashed may come in several pieces, as if they stood one after another. */
#ifndef LEADHOOK_CORE_DIGEST_H
#define LEADHOOK_CORE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"

enum { DIGEST_SIZE = 32 };

/* The bytes of a digest, to be written in hexadecimal, stored, or compared. */
struct digest {
	unsigned char bytes[DIGEST_SIZE];
};

/* Neither fails: a libcrypto without SHA-256 or without memory ends the process. */
struct digest digest_sha256(const struct slice *pieces, size_t count);
/* The key may have any length, zero too (RFC 2104). */
struct digest digest_hmac_sha256(struct slice key, const struct slice *pieces, size_t count);

/* Each thread keeps what the two need. One that ends before the process frees it. */
void digest_end_thread(void);

/* `digest` must outlive the slice. */
struct slice digest_slice(const struct digest *digest);

/* Compares secrets: the time it takes tells the sizes only, never where they differ. */
MUST_CHECK bool digest_equal(struct slice a, struct slice b);

#endif
