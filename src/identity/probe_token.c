/* SPDX-License-Identifier: MIT */
#include "identity/probe_token.h"

#include <inttypes.h>

#include "crypto/base64.h"
#include "crypto/digest.h"

enum { TOKEN_BYTES = 18 };

/* Domain separation, as in lead_token.c. */
static struct slice
sign(struct pool *pool, struct slice server_secret, struct slice time)
{
	const struct slice pieces[] = { SLICE("leadhook probe v1:"), time };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	return base64url_encode(pool, slice_sub(digest_slice(&digest), 0, TOKEN_BYTES));
}

struct slice
probe_token(struct pool *pool, struct slice server_secret, int64_t made_ms)
{
	const struct slice time = pool_printf(pool, "%" PRId64, made_ms);
	return pool_printf(pool, "%.*s.%.*s", SLICE_ARGS(time), SLICE_ARGS(sign(pool, server_secret, time)));
}

/* The time, as it is written. */
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
	const struct slice signature = sign(pool, server_secret, time_of(token));
	const bool genuine = digest_equal(slice_sub(token, time_of(token).size + 1, token.size), signature);
	pool_free(&pool);
	return genuine;
}
