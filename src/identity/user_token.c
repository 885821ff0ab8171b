/* SPDX-License-Identifier: MIT */
#include "identity/user_token.h"

#include <string.h>

#include "base/encode.h"
#include "crypto/base64.h"
#include "os/random.h"

enum { TOKEN_RANDOM = 32, CODE_RANDOM = 15, CODE_DIGITS = 24, CODE_GROUP = 6 };

struct slice
user_token_make(struct pool *pool)
{
	unsigned char random[TOKEN_RANDOM];
	random_bytes(random, sizeof(random));
	const struct slice token = base64url_encode(pool, (struct slice){ (const char *)random, sizeof(random) });
	explicit_bzero(random, sizeof(random));
	return token;
}

bool
user_token_well_formed(struct slice text)
{
	return text.size == USER_TOKEN_SIZE && slice_is_alnum(text, BASE64URL_MARKS);
}

struct digest
user_token_hash(struct slice token)
{
	return digest_sha256(&token, 1);
}

struct slice
user_token_link(struct pool *pool, struct slice base_url, struct slice token)
{
	return pool_printf(pool, "%.*s/dashboard/#welcome/%.*s", SLICE_ARGS(base_url), SLICE_ARGS(token));
}

struct slice
recovery_code_make(struct pool *pool)
{
	unsigned char random[CODE_RANDOM];
	random_bytes(random, sizeof(random));
	const struct slice digits = encode_base32(pool, (struct slice){ (const char *)random, sizeof(random) });
	explicit_bzero(random, sizeof(random));
	return pool_printf(pool, "%.6s-%.6s-%.6s-%.6s", digits.data, digits.data + CODE_GROUP, digits.data + 2 * CODE_GROUP,
	    digits.data + 3 * CODE_GROUP);
}

bool
recovery_code_hash(struct slice text, struct digest *hash)
{
	char digits[CODE_DIGITS];
	size_t count = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '-' || text.data[i] == ' ')
			continue;
		if (count == CODE_DIGITS)
			return false;
		digits[count++] = ascii_upper(text.data[i]);
	}
	*hash = digest_sha256(&(struct slice){ digits, count }, 1);
	return count == CODE_DIGITS;
}
