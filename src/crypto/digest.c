/* SPDX-License-Identifier: MIT */
#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string.h>

#include "base/log.h"
#include "base/pool.h"

/* Made once in each thread: to look an algorithm up among the providers, and to set it up, costs more than hashing a short
 * text. */
static _Thread_local struct {
	EVP_MD *sha256;
	EVP_MD_CTX *hashing;
	EVP_MAC_CTX *signing;
	/* The key that `signing` was set up with last, until another one is. One that is longer is not kept. */
	struct {
		char bytes[64];
		size_t size;
		bool kept;
	} last_key;
} own;

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
	if (own.hashing == NULL) {
		own.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
		own.hashing = EVP_MD_CTX_new();
	}
	struct digest digest;
	unsigned size = 0;
	need(own.sha256 != NULL && own.hashing != NULL && EVP_DigestInit_ex2(own.hashing, own.sha256, NULL) == 1);
	for (size_t i = 0; i < count; i++)
		need(EVP_DigestUpdate(own.hashing, pieces[i].data, pieces[i].size) == 1);
	need(EVP_DigestFinal_ex(own.hashing, digest.bytes, &size) == 1 && size == DIGEST_SIZE);
	return digest;
}

static void
make_signing(void)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	char name[] = "SHA256";
	const OSSL_PARAM parameters[] = { OSSL_PARAM_construct_utf8_string("digest", name, 0), OSSL_PARAM_construct_end() };
	own.signing = EVP_MAC_CTX_new(hmac);
	need(own.signing != NULL && EVP_MAC_CTX_set_params(own.signing, parameters) == 1);
	EVP_MAC_free(hmac);
}

/* All opt-out links are signed with one key, and so are the deliveries of a webhook, which often go together. Both keys that
 * are compared are ours: no stranger has one of them to choose. */
static void
begin_signing(struct slice key)
{
	if (own.signing == NULL)
		make_signing();
	if (own.last_key.kept && slice_equal(key, (struct slice){ own.last_key.bytes, own.last_key.size })) {
		need(EVP_MAC_init(own.signing, NULL, 0, NULL) == 1); /* the last one again */
		return;
	}
	/* libcrypto takes a NULL key to mean the last one */
	need(EVP_MAC_init(own.signing, (const unsigned char *)(key.data == NULL ? "" : key.data), key.size, NULL) == 1);
	own.last_key.kept = key.size <= sizeof(own.last_key.bytes);
	own.last_key.size = key.size;
	if (own.last_key.kept && key.size > 0)
		memcpy(own.last_key.bytes, key.data, key.size);
}

struct digest
digest_hmac_sha256(struct slice key, const struct slice *pieces, size_t count)
{
	struct digest digest;
	size_t size = 0;
	begin_signing(key);
	for (size_t i = 0; i < count; i++)
		need(EVP_MAC_update(own.signing, (const unsigned char *)pieces[i].data, pieces[i].size) == 1);
	need(EVP_MAC_final(own.signing, digest.bytes, &size, sizeof(digest.bytes)) == 1 && size == DIGEST_SIZE);
	return digest;
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
