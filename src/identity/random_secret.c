/* SPDX-License-Identifier: MIT */
#include "identity/random_secret.h"

#include <inttypes.h>
#include <string.h>

#include "base/encode.h"
#include "crypto/base64.h"
#include "identity/typed.h"
#include "os/random.h"

enum { SECRET_RANDOM = 32, SECRET_CHARACTERS = 43, CODE_RANDOM = 15, CODE_DIGITS = 24, CODE_GROUP = 6 };

static const struct slice prefixes[] = {
	[SECRET_API_KEY] = SLICE("lh_"),
	[SECRET_INBOUND] = SLICE("in_"),
	[SECRET_USER] = SLICE(""),
};

struct slice
secret_make(struct pool *pool, enum secret_kind kind)
{
	unsigned char random[SECRET_RANDOM];
	random_bytes(random, sizeof(random));
	const struct slice text = base64url_encode(pool, (struct slice){ (const char *)random, sizeof(random) });
	explicit_bzero(random, sizeof(random));
	return POOL_JOIN(pool, prefixes[kind], text);
}

bool
secret_well_formed(enum secret_kind kind, struct slice text)
{
	const struct slice prefix = prefixes[kind];
	return text.size == prefix.size + SECRET_CHARACTERS && slice_starts_with(text, prefix) &&
	       slice_is_alnum(text, BASE64URL_MARKS);
}

struct digest
secret_hash(struct slice text)
{
	return digest_sha256(&text, 1);
}

struct slice
api_key_from_header(struct pool *pool, struct slice header)
{
	struct slice trimmed = typed_clean(pool, header);
	size_t from = trimmed.size;
	while (from > 0 && !ascii_is_space(trimmed.data[from - 1]))
		from--;
	return trimmed.size == 0 ? SLICE_NONE : slice_sub(trimmed, from, trimmed.size);
}

struct slice
inbound_token_of_url(struct slice url)
{
	const size_t slash = slice_find_last(url, '/');
	return slash == url.size ? url : slice_sub(url, slash + 1, url.size);
}

struct slice
inbound_url(struct pool *pool, struct slice base_url, uint64_t campaign_id, struct slice token)
{
	return pool_printf(pool, "%.*s/inbound/%" PRIu64 "/%.*s", SLICE_ARGS(base_url), campaign_id, SLICE_ARGS(token));
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
