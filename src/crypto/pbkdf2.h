/* SPDX-License-Identifier: MIT
 * PBKDF2 with HMAC-SHA256 (RFC 8018) on libcrypto. */
#pragma once

#include <stdint.h>

#include "crypto/digest.h"

/* A key of DIGEST_SIZE bytes. `iterations` is at least 1; 2,000 of them take about a millisecond. Like the digests, it does not
 * fail: if libcrypto cannot, the process ends. */
struct digest pbkdf2_sha256(struct slice password, struct slice salt, uint32_t iterations);
