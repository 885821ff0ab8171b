/* SPDX-License-Identifier: MIT */
#include "bots/honeypot.h"

#include "base/encode.h"
#include "crypto/digest.h"

/* Consonants that are not mistaken for digits. */
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
		if (slice_find(SLICE("bcdfghjkmnpqrtvw"), name.data[i]) == LETTERS || !ascii_is_digit(name.data[i + 1]))
			return false;
	return true;
}
