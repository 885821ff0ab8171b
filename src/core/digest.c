/* SPDX-License-Identifier: MIT */
#include "core/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/log.h"
#include "base/pool.h"

/* Fetched once: a look-up among the providers costs more than hashing a short text. */
static EVP_MD *sha256;
static EVP_MAC *hmac;

/* There is no sensible way on without a hash. */
static void
need(bool done)
{
	if (done)
		return;
	log_error("libcrypto", LOG_STR("error", "SHA-256 or HMAC failed"));
	memory_exhausted();
}

struct digest
digest_sha256(const struct slice *pieces, size_t count)
{
	if (sha256 == NULL)
		sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	struct digest digest;
	unsigned size = 0;
	need(sha256 != NULL && context != NULL && EVP_DigestInit_ex2(context, sha256, NULL) == 1);
	for (size_t i = 0; i < count; i++)
		need(EVP_DigestUpdate(context, pieces[i].data, pieces[i].size) == 1);
	need(EVP_DigestFinal_ex(context, digest.bytes, &size) == 1 && size == DIGEST_SIZE);
	EVP_MD_CTX_free(context);
	return digest;
}

struct digest
digest_hmac_sha256(struct slice key, const struct slice *pieces, size_t count)
{
	if (hmac == NULL)
		hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
	char name[] = "SHA256";
	const OSSL_PARAM parameters[] = { OSSL_PARAM_construct_utf8_string("digest", name, 0), OSSL_PARAM_construct_end() };
	/* libcrypto takes a NULL key to mean the last one */
	const unsigned char *bytes = (const unsigned char *)(key.data == NULL ? "" : key.data);
	struct digest digest;
	size_t size = 0;
	need(context != NULL && EVP_MAC_init(context, bytes, key.size, parameters) == 1);
	for (size_t i = 0; i < count; i++)
		need(EVP_MAC_update(context, (const unsigned char *)pieces[i].data, pieces[i].size) == 1);
	need(EVP_MAC_final(context, digest.bytes, &size, sizeof(digest.bytes)) == 1 && size == DIGEST_SIZE);
	EVP_MAC_CTX_free(context);
	return digest;
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
