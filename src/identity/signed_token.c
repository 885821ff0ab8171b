/* SPDX-License-Identifier: MIT
 * Every text that is signed begins with its purpose, so that a signature for one purpose never fits another. */
#include "identity/signed_token.h"

#include <inttypes.h>
#include <string.h>

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "identity/email.h"
#include "identity/social_id.h"

enum { SIGNATURE_BYTES = LEAD_TOKEN_SIZE / 4 * 3 };

static struct slice
sign(struct pool *pool, struct slice server_secret, const struct slice *pieces, size_t count)
{
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, count);
	return base64url_encode(pool, slice_sub(digest_slice(&digest), 0, SIGNATURE_BYTES));
}

/* ---- leads ---- */

static const struct slice lead_domains[] = {
	[LEAD_TOKEN_OPT_OUT] = SLICE("leadhook opt-out v1:"),
	[LEAD_TOKEN_STATUS] = SLICE("leadhook status v1:"),
};

struct slice
lead_token(struct pool *pool, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner)
{
	char campaign_id[DECIMAL_SIZE], id[DECIMAL_SIZE], epoch[DECIMAL_SIZE];
	const struct slice pieces[] = { lead_domains[purpose], encode_decimal(owner->campaign_id, campaign_id), SLICE(":"),
		owner->social_id, SLICE(":"), encode_decimal(owner->id, id), SLICE(":"), encode_decimal(owner->epoch, epoch) };
	return sign(pool, server_secret, pieces, ARRAY_SIZE(pieces));
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

/* ---- addresses ---- */

static const struct slice address_domains[] = {
	[ADDRESS_CONFIRM] = SLICE("leadhook confirm v1:"),
	[ADDRESS_ERASE] = SLICE("leadhook erase v1:"),
};

/* The address comes last: everything before it has a known form, so no two claims are the same text. */
static struct slice
sign_claim(struct pool *pool, struct slice server_secret, const struct address_claim *claim)
{
	char campaign[DECIMAL_SIZE], expires[DECIMAL_SIZE];
	const struct slice pieces[] = { address_domains[claim->purpose], encode_decimal(claim->campaign_id, campaign),
		SLICE(":"), claim->social_id, SLICE(":"), encode_decimal((uint64_t)claim->expires_s, expires), SLICE(":"),
		claim->address_key };
	return sign(pool, server_secret, pieces, ARRAY_SIZE(pieces));
}

struct slice
address_token_make(struct pool *pool, struct slice server_secret, const struct address_claim *claim)
{
	return pool_printf(pool, "%.*s-%" PRId64 "-%.*s", SLICE_ARGS(claim->social_id), claim->expires_s,
	    SLICE_ARGS(sign_claim(pool, server_secret, claim)));
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
			   digest_equal(token->signature, sign_claim(pool, server_secret, &claim));
	pool_free(&pool);
	return valid;
}

enum { PREFIX_DROPPED = 4 };

static struct address_hash
hash_of(struct slice server_secret, struct slice purpose, struct slice address)
{
	const struct slice pieces[] = { purpose, address };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	struct address_hash hash;
	memcpy(hash.bytes, digest.bytes, sizeof(hash.bytes));
	return hash;
}

struct address_hash
address_hash_mailbox(struct pool *pool, struct slice server_secret, struct slice email_key)
{
	return hash_of(server_secret, SLICE("leadhook mail recipient v1:"), email_mailbox(pool, email_key));
}

struct address_hash
address_hash_number(struct slice server_secret, struct slice number)
{
	return hash_of(server_secret, SLICE("leadhook text number v1:"), number);
}

struct address_hash
address_hash_prefix(struct slice server_secret, struct slice number)
{
	const size_t size = number.size > PREFIX_DROPPED ? number.size - PREFIX_DROPPED : 0;
	return hash_of(server_secret, SLICE("leadhook text prefix v1:"), slice_sub(number, 0, size));
}

/* ---- probes ---- */

static struct slice
sign_time(struct pool *pool, struct slice server_secret, struct slice time)
{
	const struct slice pieces[] = { SLICE("leadhook probe v1:"), time };
	return sign(pool, server_secret, pieces, ARRAY_SIZE(pieces));
}

struct slice
probe_token(struct pool *pool, struct slice server_secret, int64_t made_ms)
{
	const struct slice time = pool_printf(pool, "%" PRId64, made_ms);
	return pool_printf(pool, "%.*s.%.*s", SLICE_ARGS(time), SLICE_ARGS(sign_time(pool, server_secret, time)));
}

/* The time as it is written in a token. */
static struct slice
time_of(struct slice token)
{
	return slice_sub(token, 0, slice_find(token, '.'));
}

bool
probe_token_is_current(struct slice token, int64_t now_ms)
{
	uint64_t made_ms;
	if (token.size > PROBE_TOKEN_MAX || !slice_to_u64(time_of(token), INT64_MAX / 2, &made_ms))
		return false;
	const int64_t age_ms = now_ms - (int64_t)made_ms;
	return age_ms < PROBE_TOKEN_VALID_MS && age_ms > -PROBE_TOKEN_VALID_MS;
}

bool
probe_token_is_genuine(struct slice token, struct slice server_secret)
{
	struct pool *pool = pool_new();
	const struct slice signature = sign_time(pool, server_secret, time_of(token));
	const bool genuine = digest_equal(slice_sub(token, time_of(token).size + 1, token.size), signature);
	pool_free(&pool);
	return genuine;
}
