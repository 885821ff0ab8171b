/* SPDX-License-Identifier: MIT */
#include "crypto/seal.h"

#include <inttypes.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/panic.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "os/random.h"

enum { NONCE_SIZE = 12, TAG_SIZE = 16 };

/* `mark` begins sealed texts of every version, so that none is ever taken for a text that is not sealed. */
static const struct slice mark = SLICE("sealed:"), version = SLICE("1:");

struct seal_key {
	unsigned char bytes[SEAL_KEY_SIZE];
	char id[SEAL_KEY_ID];
};

struct seal_keys {
	struct seal_key keys[SEAL_KEYS_MAX];
	size_t count;
};

static struct slice
key_bytes(const struct seal_key *key)
{
	return (struct slice){ (const char *)key->bytes, sizeof(key->bytes) };
}

/* The id reveals nothing about the key. */
static bool
add_key(struct seal_keys *keys, struct pool *pool, struct slice text)
{
	static const struct slice purpose = SLICE("leadhook seal key id");
	struct slice bytes;
	if (keys->count == SEAL_KEYS_MAX || text.size != 2 * SEAL_KEY_SIZE || !decode_hex(pool, text, &bytes))
		return false;
	struct seal_key *key = &keys->keys[keys->count++];
	memcpy(key->bytes, bytes.data, sizeof(key->bytes));
	const struct digest digest = digest_hmac_sha256(bytes, &purpose, 1);
	memcpy(key->id, encode_hex(pool, slice_sub(digest_slice(&digest), 0, SEAL_KEY_ID / 2)).data, sizeof(key->id));
	return true;
}

struct seal_keys *
seal_keys_new(struct slice list)
{
	struct seal_keys *keys = memory_alloc(sizeof(*keys));
	struct pool *pool = pool_new();
	struct slice item;
	bool good = true;
	while (good && slice_next_item(&list, &item))
		good = add_key(keys, pool, item);
	pool_free(&pool);
	if (!good)
		seal_keys_free(&keys);
	return keys;
}

void
seal_keys_free(struct seal_keys **keys)
{
	if (*keys == NULL)
		return;
	explicit_bzero(*keys, sizeof(**keys));
	free(*keys);
	*keys = NULL;
}

bool
seal_has_key(const struct seal_keys *keys)
{
	return keys->count > 0;
}

/* For calls of the library, which return 1 on success. */
#define REQUIRE(success) ((success) ? (void)0 : digest_library_failed("AES-256-GCM failed"))

/* Begins to encrypt or decrypt with the key of the place. */
static EVP_CIPHER_CTX *
begin(
    const struct seal_key *key, struct pool *pool, struct seal_place place, const unsigned char nonce[NONCE_SIZE], int encrypts)
{
	const struct slice purpose[] = { SLICE("leadhook seal 1 "), slice_of(place.column), SLICE("\x01") };
	const struct slice bound = pool_printf(pool, "1:%s:%" PRIu64, place.column, place.id);
	struct digest own = digest_hmac_sha256(key_bytes(key), purpose, ARRAY_SIZE(purpose));
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int size;
	_Static_assert(sizeof(own.bytes) == SEAL_KEY_SIZE, "a key of AES-256");
	REQUIRE(context != NULL && EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, own.bytes, nonce, encrypts) == 1 &&
		EVP_CipherUpdate(context, NULL, &size, (const unsigned char *)bound.data, (int)bound.size) == 1);
	explicit_bzero(&own, sizeof(own));
	return context;
}

struct slice
seal(const struct seal_keys *keys, struct pool *pool, struct seal_place place, struct slice text)
{
	require(seal_has_key(keys) && text.size < INT_MAX / 2);
	const struct seal_key *key = &keys->keys[0];
	const size_t size = NONCE_SIZE + text.size + TAG_SIZE;
	unsigned char *data = pool_alloc(pool, size);
	int written = 0, rest = 0;
	random_bytes(data, NONCE_SIZE);
	EVP_CIPHER_CTX *context = begin(key, pool, place, data, 1);
	REQUIRE((text.size == 0 || EVP_CipherUpdate(context, data + NONCE_SIZE, &written, (const unsigned char *)text.data,
				       (int)text.size) == 1) &&
		EVP_CipherFinal_ex(context, data + NONCE_SIZE + written, &rest) == 1 &&
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG_SIZE, data + size - TAG_SIZE) == 1);
	EVP_CIPHER_CTX_free(context);
	return POOL_JOIN(pool, mark, version, (struct slice){ key->id, sizeof(key->id) }, SLICE(":"),
	    base64_encode(pool, (struct slice){ (const char *)data, size }));
}

bool
seal_is_sealed(struct slice stored)
{
	return slice_starts_with(stored, mark);
}

struct slice
seal_key_of(struct slice stored)
{
	const size_t from = mark.size + version.size;
	return slice_sub(stored, from, from + SEAL_KEY_ID);
}

bool
seal_is_current(const struct seal_keys *keys, struct slice stored)
{
	return seal_is_sealed(stored) && seal_has_key(keys) &&
	       slice_equal(seal_key_of(stored), (struct slice){ keys->keys[0].id, SEAL_KEY_ID });
}

/* Sets *data to nonce, encrypted text and tag. Returns false if the sealed text does not have its form. */
static bool
data_of(struct pool *pool, struct slice stored, struct slice *data)
{
	const size_t before = mark.size + version.size + SEAL_KEY_ID;
	return slice_starts_with(slice_sub(stored, mark.size, stored.size), version) && stored.size > before &&
	       stored.data[before] == ':' && base64_decode(pool, slice_sub(stored, before + 1, stored.size), data) &&
	       data->size >= NONCE_SIZE + TAG_SIZE;
}

static bool
decrypt(const struct seal_key *key, struct pool *pool, struct seal_place place, struct slice data, struct slice *text)
{
	const unsigned char *bytes = (const unsigned char *)data.data;
	const size_t size = data.size - NONCE_SIZE - TAG_SIZE;
	unsigned char tag[TAG_SIZE], *out = pool_alloc(pool, size + 1);
	int written = 0, rest = 0;
	memcpy(tag, bytes + data.size - TAG_SIZE, TAG_SIZE);
	EVP_CIPHER_CTX *context = begin(key, pool, place, bytes, 0);
	REQUIRE((size == 0 || EVP_CipherUpdate(context, out, &written, bytes + NONCE_SIZE, (int)size) == 1) &&
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, TAG_SIZE, tag) == 1);
	const bool genuine = EVP_CipherFinal_ex(context, out + written, &rest) == 1;
	EVP_CIPHER_CTX_free(context);
	if (genuine)
		*text = (struct slice){ (const char *)out, size };
	return genuine;
}

enum seal_result
seal_open(const struct seal_keys *keys, struct pool *pool, struct seal_place place, struct slice stored, struct slice *text)
{
	struct slice data;
	*text = SLICE_NONE;
	if (!seal_is_sealed(stored)) {
		*text = stored;
		return SEAL_PLAIN;
	}
	if (!data_of(pool, stored, &data))
		return SEAL_DAMAGED;
	for (size_t i = 0; i < keys->count; i++)
		if (slice_equal(seal_key_of(stored), (struct slice){ keys->keys[i].id, SEAL_KEY_ID }))
			return decrypt(&keys->keys[i], pool, place, data, text) ? SEAL_OPENED : SEAL_DAMAGED;
	return SEAL_UNKNOWN_KEY;
}
