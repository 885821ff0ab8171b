/* SPDX-License-Identifier: MIT */
#include "crypto/base64.h"

#include <limits.h>
#include <openssl/evp.h>

struct slice
base64_encode(struct pool *pool, struct slice bytes)
{
	if (bytes.size > INT_MAX / 2)
		memory_exhausted();
	unsigned char *out = pool_alloc(pool, (bytes.size + 2) / 3 * 4 + 1);
	int size = EVP_EncodeBlock(out, (const unsigned char *)bytes.data, (int)bytes.size);
	return (struct slice){ (const char *)out, (size_t)size };
}

bool
base64_decode(struct pool *pool, struct slice text, struct slice *bytes)
{
	if (text.size % 4 != 0 || text.size > INT_MAX / 2)
		return false;
	unsigned char *out = pool_alloc(pool, text.size / 4 * 3 + 1);
	int size = EVP_DecodeBlock(out, (const unsigned char *)text.data, (int)text.size);
	if (size < 0)
		return false;
	/* libcrypto counts padding as bytes, skips white space and ignores unused bits, so the result must encode to the same
	 * text */
	size_t padding = text.size - slice_find(text, '=');
	if (padding > 2)
		return false;
	struct slice decoded = { (const char *)out, (size_t)size - padding };
	if (!slice_equal(base64_encode(pool, decoded), text))
		return false;
	*bytes = decoded;
	return true;
}

struct slice
base64url_encode(struct pool *pool, struct slice bytes)
{
	struct slice standard = base64_encode(pool, bytes);
	size_t size = slice_find(standard, '=');
	char *out = pool_alloc(pool, size + 1);
	for (size_t i = 0; i < size; i++) {
		char c = standard.data[i];
		out[i] = c == '+' ? '-' : c == '/' ? '_' : c;
	}
	return (struct slice){ out, size };
}
