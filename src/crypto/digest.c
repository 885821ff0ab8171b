/* SPDX-License-Identifier: MIT */
#include "crypto/digest.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <string.h>

#include "base/panic.h"
#include "os/log.h"

/* Created once per thread: fetching and initializing an algorithm costs more than hashing a short text. */
static _Thread_local struct {
	EVP_MD *sha256;
	EVP_MD_CTX *hashing;
	EVP_MAC_CTX *signing;
	/* The key that `signing` was last initialized with. A longer key is not cached. */
	struct {
		char bytes[64];
		size_t size;
		bool valid;
	} last_key;
} own;

void
digest_library_failed(const char *error)
{
	log_error("libcrypto", LOG_STR("error", error));
	memory_exhausted();
}

/* For calls of the library, which return 1 on success. */
#define REQUIRE(success) ((success) ? (void)0 : digest_library_failed("SHA-256, SHA-384 or HMAC failed"))

struct digest
digest_sha256(const struct slice *pieces, size_t count)
{
	if (own.hashing == NULL) {
		own.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
		own.hashing = EVP_MD_CTX_new();
	}
	struct digest digest;
	unsigned size = 0;
	REQUIRE(own.sha256 != NULL && own.hashing != NULL && EVP_DigestInit_ex2(own.hashing, own.sha256, NULL) == 1);
	for (size_t i = 0; i < count; i++)
		REQUIRE(EVP_DigestUpdate(own.hashing, pieces[i].data, pieces[i].size) == 1);
	REQUIRE(EVP_DigestFinal_ex(own.hashing, digest.bytes, &size) == 1 && size == DIGEST_SIZE);
	return digest;
}

static void
make_signing(void)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	char name[] = "SHA256";
	const OSSL_PARAM parameters[] = { OSSL_PARAM_construct_utf8_string("digest", name, 0), OSSL_PARAM_construct_end() };
	own.signing = EVP_MAC_CTX_new(hmac);
	REQUIRE(own.signing != NULL && EVP_MAC_CTX_set_params(own.signing, parameters) == 1);
	EVP_MAC_free(hmac);
}

/* All opt-out links are signed with one key, and deliveries of the same webhook often follow each other, so the last key is
 * cached. Both keys in the comparison are ours: an attacker can choose neither. */
static void
begin_signing(struct slice key)
{
	if (own.signing == NULL)
		make_signing();
	if (own.last_key.valid && slice_equal(key, (struct slice){ own.last_key.bytes, own.last_key.size })) {
		REQUIRE(EVP_MAC_init(own.signing, NULL, 0, NULL) == 1); /* the same key */
		return;
	}
	/* for libcrypto a NULL key means the previous one */
	REQUIRE(EVP_MAC_init(own.signing, (const unsigned char *)(key.data == NULL ? "" : key.data), key.size, NULL) == 1);
	own.last_key.valid = key.size <= sizeof(own.last_key.bytes);
	own.last_key.size = key.size;
	if (own.last_key.valid && key.size > 0)
		memcpy(own.last_key.bytes, key.data, key.size);
}

struct digest
digest_hmac_sha256(struct slice key, const struct slice *pieces, size_t count)
{
	struct digest digest;
	size_t size = 0;
	begin_signing(key);
	for (size_t i = 0; i < count; i++)
		REQUIRE(EVP_MAC_update(own.signing, (const unsigned char *)pieces[i].data, pieces[i].size) == 1);
	REQUIRE(EVP_MAC_final(own.signing, digest.bytes, &size, sizeof(digest.bytes)) == 1 && size == DIGEST_SIZE);
	return digest;
}

struct slice
digest_sha384(struct pool *pool, struct slice text)
{
	unsigned char bytes[SHA384_DIGEST_LENGTH];
	size_t size = 0;
	REQUIRE(EVP_Q_digest(NULL, "SHA384", NULL, text.data, text.size, bytes, &size) == 1 && size == sizeof(bytes));
	return pool_copy(pool, (struct slice){ (const char *)bytes, size });
}

struct digest
digest_pbkdf2(struct slice password, struct slice salt, uint32_t iterations)
{
	struct digest key;
	require(iterations > 0 && iterations <= INT_MAX && password.size <= INT_MAX && salt.size <= INT_MAX);
	if (PKCS5_PBKDF2_HMAC(password.data, (int)password.size, (const unsigned char *)salt.data, (int)salt.size,
		(int)iterations, EVP_sha256(), DIGEST_SIZE, key.bytes) != 1)
		digest_library_failed("PBKDF2 failed");
	return key;
}

void
digest_end_thread(void)
{
	EVP_MD_CTX_free(own.hashing);
	EVP_MAC_CTX_free(own.signing);
	EVP_MD_free(own.sha256);
	explicit_bzero(&own, sizeof(own));
}

struct slice
digest_slice(const struct digest *digest)
{
	return (struct slice){ (const char *)digest->bytes, sizeof(digest->bytes) };
}

bool
digest_equal(struct slice a, struct slice b)
{
	return a.size == b.size && (a.size == 0 || CRYPTO_memcmp(a.data, b.data, a.size) == 0);
}
