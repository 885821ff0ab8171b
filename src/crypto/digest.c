/* SPDX-License-Identifier: MIT */
#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <string.h>

#include "os/log.h"

/* Created once in each thread: fetching and initializing an algorithm costs more than hashing a short text. */
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

/* The process cannot go on without a hash. */
static void
require_success(bool done)
{
	if (done)
		return;
	log_error("libcrypto", LOG_STR("error", "SHA-256, SHA-384 or HMAC failed"));
	memory_exhausted();
}

struct digest
digest_sha256(const struct slice *pieces, size_t count)
{
	if (own.hashing == NULL) {
		own.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
		own.hashing = EVP_MD_CTX_new();
	}
	struct digest digest;
	unsigned size = 0;
	require_success(own.sha256 != NULL && own.hashing != NULL && EVP_DigestInit_ex2(own.hashing, own.sha256, NULL) == 1);
	for (size_t i = 0; i < count; i++)
		require_success(EVP_DigestUpdate(own.hashing, pieces[i].data, pieces[i].size) == 1);
	require_success(EVP_DigestFinal_ex(own.hashing, digest.bytes, &size) == 1 && size == DIGEST_SIZE);
	return digest;
}

static void
make_signing(void)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	char name[] = "SHA256";
	const OSSL_PARAM parameters[] = { OSSL_PARAM_construct_utf8_string("digest", name, 0), OSSL_PARAM_construct_end() };
	own.signing = EVP_MAC_CTX_new(hmac);
	require_success(own.signing != NULL && EVP_MAC_CTX_set_params(own.signing, parameters) == 1);
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
		require_success(EVP_MAC_init(own.signing, NULL, 0, NULL) == 1); /* the same key */
		return;
	}
	/* for libcrypto a NULL key means the previous one */
	require_success(
	    EVP_MAC_init(own.signing, (const unsigned char *)(key.data == NULL ? "" : key.data), key.size, NULL) == 1);
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
		require_success(EVP_MAC_update(own.signing, (const unsigned char *)pieces[i].data, pieces[i].size) == 1);
	require_success(EVP_MAC_final(own.signing, digest.bytes, &size, sizeof(digest.bytes)) == 1 && size == DIGEST_SIZE);
	return digest;
}

struct slice
digest_sha384(struct pool *pool, struct slice text)
{
	unsigned char bytes[SHA384_DIGEST_LENGTH];
	size_t size = 0;
	require_success(EVP_Q_digest(NULL, "SHA384", NULL, text.data, text.size, bytes, &size) == 1 && size == sizeof(bytes));
	return pool_copy(pool, (struct slice){ (const char *)bytes, size });
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
