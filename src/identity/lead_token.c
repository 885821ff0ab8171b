/* SPDX-License-Identifier: MIT */
#include "identity/lead_token.h"

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

enum { TOKEN_BYTES = LEAD_TOKEN_SIZE / 4 * 3 };

/* Domain separation: a token is never a signature of something else under the same secret. */
static const struct slice domains[] = {
	[LEAD_TOKEN_OPT_OUT] = SLICE("leadhook opt-out v1:"),
	[LEAD_TOKEN_STATUS] = SLICE("leadhook status v1:"),
};

struct slice
lead_token(struct pool *pool, struct slice server_secret, enum lead_token_purpose purpose, uint64_t campaign_id,
    struct slice social_id)
{
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { domains[purpose], encode_decimal(campaign_id, digits), SLICE(":"), social_id };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	return base64url_encode(pool, slice_sub(digest_slice(&digest), 0, TOKEN_BYTES));
}

bool
lead_token_valid(struct slice token, struct slice server_secret, enum lead_token_purpose purpose, uint64_t campaign_id,
    struct slice social_id)
{
	struct pool *pool = pool_new();
	const bool valid = digest_equal(token, lead_token(pool, server_secret, purpose, campaign_id, social_id));
	pool_free(&pool);
	return valid;
}
