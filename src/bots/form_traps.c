/* SPDX-License-Identifier: MIT */
#include "bots/form_traps.h"

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "os/clock.h"

/* ---- honeypots ---- */

/* Consonants that cannot be mistaken for digits. */
static const char letters[] = "bcdfghjkmnpqrtvw";
enum { LETTERS = sizeof(letters) - 1, DIGITS = 10 };

struct slice
honeypot_name(char out[HONEYPOT_NAME_SIZE], struct slice server_secret, uint64_t campaign_id)
{
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { SLICE("leadhook honeypot v1:"), encode_decimal(campaign_id, digits) };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	for (size_t i = 0; i < HONEYPOT_NAME_SIZE; i += 2) {
		out[i] = letters[digest.bytes[i] % LETTERS];
		out[i + 1] = (char)('0' + digest.bytes[i + 1] % DIGITS);
	}
	return (struct slice){ out, HONEYPOT_NAME_SIZE };
}

bool
honeypot_well_formed(struct slice name)
{
	if (name.size != HONEYPOT_NAME_SIZE)
		return false;
	for (size_t i = 0; i < HONEYPOT_NAME_SIZE; i += 2)
		if (slice_find(slice_of(letters), name.data[i]) == LETTERS || !ascii_is_digit(name.data[i + 1]))
			return false;
	return true;
}

/* ---- stamps ---- */

enum { MAC_BYTES = STAMP_MAC_SIZE / 4 * 3 };

struct slice
stamp_make(struct pool *pool, struct slice server_secret, uint64_t campaign_id, int64_t now_ms)
{
	char campaign[DECIMAL_SIZE], time[DECIMAL_SIZE];
	const struct slice ms = encode_decimal((uint64_t)now_ms, time);
	const struct slice pieces[] = { SLICE("leadhook stamp v1:"), encode_decimal(campaign_id, campaign), SLICE(":"), ms };
	const struct digest digest = digest_hmac_sha256(server_secret, pieces, ARRAY_SIZE(pieces));
	const struct slice mac = base64url_encode(pool, slice_sub(digest_slice(&digest), 0, MAC_BYTES));
	return POOL_JOIN(pool, ms, SLICE("."), mac);
}

enum stamp_verdict
stamp_check(struct pool *pool, struct slice stamp, struct slice server_secret, uint64_t campaign_id, int64_t now_ms)
{
	uint64_t made_ms;
	if (stamp.size == 0)
		return STAMP_ABSENT;
	if (!slice_to_u64(slice_sub(stamp, 0, slice_find(stamp, '.')), CLOCK_END_MS, &made_ms) ||
	    !digest_equal(stamp, stamp_make(pool, server_secret, campaign_id, (int64_t)made_ms)))
		return STAMP_INVALID;
	const int64_t age_ms = now_ms - (int64_t)made_ms;
	return age_ms < STAMP_MIN_MS ? STAMP_TOO_FAST : age_ms > STAMP_MAX_MS ? STAMP_OLD : STAMP_FINE;
}
