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
lead_token(struct pool *pool, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner)
{
	char campaign_id[DECIMAL_SIZE], id[DECIMAL_SIZE], epoch[DECIMAL_SIZE];
	const struct slice pieces[] = { domains[purpose], encode_decimal(owner->campaign_id, campaign_id), SLICE(":"),
		owner->social_id, SLICE(":"), encode_decimal(owner->id, id), SLICE(":"), encode_decimal(owner->epoch, epoch) };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	return base64url_encode(pool, slice_sub(digest_slice(&digest), 0, TOKEN_BYTES));
}

bool
lead_token_valid(
    struct slice token, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner)
{
	struct pool *pool = pool_new();
	const bool valid = digest_equal(token, lead_token(pool, server_secret, purpose, owner));
	pool_free(&pool);
	return valid;
}
