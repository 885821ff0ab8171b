/* SPDX-License-Identifier: MIT */
#include "identity/lead_token.h"

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"

enum { TOKEN_BYTES = LEAD_TOKEN_SIZE / 4 * 3, FIRST_EPOCH_PIECES = 4 };

/* Domain separation: a token is never a signature of something else under the same secret. */
static const struct {
	struct slice first_epoch, later_epochs;
} domains[] = {
	[LEAD_TOKEN_OPT_OUT] = { SLICE("leadhook opt-out v1:"), SLICE("leadhook opt-out v2:") },
	[LEAD_TOKEN_STATUS] = { SLICE("leadhook status v1:"), SLICE("leadhook status v2:") },
};

struct slice
lead_token(struct pool *pool, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner)
{
	char campaign_id[DECIMAL_SIZE], id[DECIMAL_SIZE], epoch[DECIMAL_SIZE];
	const bool is_later = owner->epoch != 0;
	const struct slice pieces[] = { is_later ? domains[purpose].later_epochs : domains[purpose].first_epoch,
		encode_decimal(owner->campaign_id, campaign_id), SLICE(":"), owner->social_id, SLICE(":"),
		encode_decimal(owner->id, id), SLICE(":"), encode_decimal(owner->epoch, epoch) };
	const struct digest digest =
	    digest_hmac_sha256(server_secret, pieces, is_later ? ARRAY_SIZE(pieces) : FIRST_EPOCH_PIECES);
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
