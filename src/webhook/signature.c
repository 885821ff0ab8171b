/* SPDX-License-Identifier: MIT */
#include "webhook/signature.h"

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

/* Standard Webhooks, "Signature scheme" */
static const struct slice secret_prefix = SLICE("whsec_");
enum { SECRET_MIN = 24, SECRET_MAX = 64 };

struct slice
signature_secret_make(struct pool *pool, const unsigned char random[SIGNATURE_SECRET_RANDOM])
{
	struct slice text = base64_encode(pool, (struct slice){ (const char *)random, SIGNATURE_SECRET_RANDOM });
	return pool_printf(pool, "%.*s%.*s", SLICE_ARGS(secret_prefix), SLICE_ARGS(text));
}

bool
signature_header(
    struct pool *pool, struct slice secret, struct slice id, int64_t timestamp, struct slice body, struct slice *header)
{
	struct slice key;
	if (!slice_starts_with(secret, secret_prefix) ||
	    !base64_decode(pool, slice_sub(secret, secret_prefix.size, secret.size), &key) || key.size < SECRET_MIN ||
	    key.size > SECRET_MAX)
		return false;
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { id, SLICE("."), encode_decimal((uint64_t)timestamp, digits), SLICE("."), body };
	const struct digest digest = digest_hmac_sha256(key, pieces, ARRAY_SIZE(pieces));
	const struct slice signature[] = { SLICE("v1,"), base64_encode(pool, digest_slice(&digest)) };
	*header = pool_join(pool, signature, ARRAY_SIZE(signature));
	return true;
}
