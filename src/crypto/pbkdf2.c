/* SPDX-License-Identifier: MIT */
#include "crypto/pbkdf2.h"

#include <limits.h>
#include <openssl/evp.h>

#include "base/panic.h"
#include "base/pool.h"
#include "os/log.h"

struct digest
pbkdf2_sha256(struct slice password, struct slice salt, uint32_t iterations)
{
	struct digest key;
	require(iterations > 0 && iterations <= INT_MAX && password.size <= INT_MAX && salt.size <= INT_MAX);
	if (PKCS5_PBKDF2_HMAC(password.data, (int)password.size, (const unsigned char *)salt.data, (int)salt.size,
		(int)iterations, EVP_sha256(), DIGEST_SIZE, key.bytes) != 1) {
		log_error("libcrypto", LOG_STR("error", "PBKDF2 failed"));
		memory_exhausted();
	}
	return key;
}
