/* SPDX-License-Identifier: MIT */
#include "crypto/totp.h"

#include <openssl/evp.h>
#include <string.h>

#include "base/buffer.h"
#include "base/encode.h"
#include "base/panic.h"
#include "crypto/digest.h"
#include "os/random.h"

enum { SHA1_SIZE = 20, COUNTER_SIZE = 8, CODES = 1000000, URL_MAX_BYTES = 4096 };

struct slice
totp_secret_make(struct pool *pool)
{
	unsigned char random[TOTP_SECRET_SIZE];
	random_bytes(random, sizeof(random));
	const struct slice secret = encode_base32(pool, (struct slice){ (const char *)random, sizeof(random) });
	explicit_bzero(random, sizeof(random));
	return secret;
}

struct slice
totp_url(struct pool *pool, struct slice issuer, struct slice account, struct slice secret)
{
	struct buffer url;
	buffer_init(&url, URL_MAX_BYTES);
	buffer_add_text(&url, "otpauth://totp/");
	encode_percent(&url, issuer);
	buffer_add_text(&url, ":");
	encode_percent(&url, account);
	buffer_printf(&url, "?secret=%.*s&issuer=", SLICE_ARGS(secret));
	encode_percent(&url, issuer);
	return buffer_take(&url, pool);
}

/* The dynamic truncation of RFC 4226 5.3. */
static uint32_t
truncate_mac(const unsigned char mac[SHA1_SIZE])
{
	const unsigned at = mac[SHA1_SIZE - 1] & 15;
	return ((uint32_t)(mac[at] & 127) << 24) | (uint32_t)mac[at + 1] << 16 | (uint32_t)mac[at + 2] << 8 | mac[at + 3];
}

uint32_t
totp_code(struct pool *pool, struct slice secret, uint64_t step)
{
	unsigned char counter[COUNTER_SIZE], mac[SHA1_SIZE];
	struct slice key;
	size_t size = 0;
	if (!decode_base32(pool, secret, &key))
		panic("a TOTP secret is not Base32");
	for (size_t i = 0; i < COUNTER_SIZE; i++)
		counter[i] = (unsigned char)(step >> (8 * (COUNTER_SIZE - 1 - i)));
	if (EVP_Q_mac(NULL, "HMAC", NULL, "SHA1", NULL, key.data, key.size, counter, sizeof(counter), mac, sizeof(mac),
		&size) == NULL ||
	    size != SHA1_SIZE)
		digest_library_failed("HMAC-SHA1 failed");
	return truncate_mac(mac) % CODES;
}

bool
totp_accepts(struct pool *pool, struct slice secret, struct slice text, int64_t now_ms, uint64_t last_step, uint64_t *step)
{
	const uint64_t now = (uint64_t)(now_ms / TOTP_STEP_MS);
	struct slice key;
	bool found = false;
	if (!decode_base32(pool, secret, &key))
		return false;
	for (uint64_t at = now - 1; at <= now; at++) {
		const struct slice code = pool_printf(pool, "%0*u", TOTP_DIGITS, (unsigned)totp_code(pool, secret, at));
		if (!digest_equal(code, text) || at <= last_step)
			continue;
		*step = at;
		found = true;
	}
	return found;
}
