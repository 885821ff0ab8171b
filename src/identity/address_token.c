/* SPDX-License-Identifier: MIT */
#include "identity/address_token.h"

#include <inttypes.h>

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "identity/social_id.h"

enum { SIGNATURE_BYTES = 18 };

static const struct slice domains[] = {
	[ADDRESS_CONFIRM] = SLICE("leadhook confirm v1:"),
	[ADDRESS_ERASE] = SLICE("leadhook erase v1:"),
};

/* The address comes last: everything before it has a known form, so no two claims are the same text. */
static struct slice
signature_of(struct pool *pool, struct slice server_secret, const struct address_claim *claim)
{
	char campaign[DECIMAL_SIZE], expires[DECIMAL_SIZE];
	const struct slice pieces[] = { domains[claim->purpose], encode_decimal(claim->campaign_id, campaign), SLICE(":"),
		claim->social_id, SLICE(":"), encode_decimal((uint64_t)claim->expires_s, expires), SLICE(":"),
		claim->address_key };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	return base64url_encode(pool, slice_sub(digest_slice(&digest), 0, SIGNATURE_BYTES));
}

struct slice
address_token_make(struct pool *pool, struct slice server_secret, const struct address_claim *claim)
{
	return pool_printf(pool, "%.*s-%" PRId64 "-%.*s", SLICE_ARGS(claim->social_id), claim->expires_s,
	    SLICE_ARGS(signature_of(pool, server_secret, claim)));
}

bool
address_token_read(struct pool *pool, struct slice text, struct address_token *token)
{
	struct slice id, expires;
	uint64_t expires_s;
	if (!slice_next(&text, '-', &id) || !slice_next(&text, '-', &expires) ||
	    !slice_to_u64(expires, INT64_MAX, &expires_s) || !social_id_parse(pool, id, &id))
		return false;
	*token = (struct address_token){ id, (int64_t)expires_s, text };
	return true;
}

bool
address_token_valid(const struct address_token *token, struct slice server_secret, enum address_purpose purpose,
    uint64_t campaign_id, struct slice address_key, int64_t now_s)
{
	struct pool *pool = pool_new();
	const struct address_claim claim = { purpose, campaign_id, token->social_id, address_key, token->expires_s };
	const bool valid = slice_present(address_key) && now_s < token->expires_s &&
			   digest_equal(token->signature, signature_of(pool, server_secret, &claim));
	pool_free(&pool);
	return valid;
}
