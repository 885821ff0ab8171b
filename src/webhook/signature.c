/* SPDX-License-Identifier: MIT */
#include "webhook/signature.h"

#include <inttypes.h>

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

/* Standard Webhooks, "Signature scheme" */
static const struct slice secret_prefix = SLICE("whsec_");
enum { SECRET_MIN = 24, SECRET_MAX = 64 };

enum { OPT_OUT_BYTES = OPT_OUT_TOKEN_SIZE / 4 * 3 };

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
	struct slice pieces[] = { id, pool_printf(pool, ".%" PRId64 ".", timestamp), body };
	struct digest digest = digest_hmac_sha256(key, pieces, ARRAY_SIZE(pieces));
	struct slice text = base64_encode(pool, digest_slice(&digest));
	*header = pool_printf(pool, "v1,%.*s", SLICE_ARGS(text));
	return true;
}

struct slice
opt_out_token(struct pool *pool, struct slice server_secret, uint64_t campaign_id, struct slice social_id)
{
	/* domain separation: a token is never a signature of something else under the same secret */
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { SLICE("leadhook opt-out v1:"), encode_decimal(campaign_id, digits), SLICE(":"),
		social_id };
	struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	return base64url_encode(pool, slice_sub(digest_slice(&digest), 0, OPT_OUT_BYTES));
}

bool
opt_out_token_valid(struct slice token, struct slice server_secret, uint64_t campaign_id, struct slice social_id)
{
	struct pool *pool = pool_new();
	bool valid = digest_equal(token, opt_out_token(pool, server_secret, campaign_id, social_id));
	pool_free(&pool);
	return valid;
}
