/* SPDX-License-Identifier: MIT */
#include "identity/api_key.h"

#include "crypto/base64.h"

static const struct slice prefix = SLICE("lh_");

struct slice
api_key_make(struct pool *pool, const unsigned char random[API_KEY_RANDOM])
{
	struct slice text = base64url_encode(pool, (struct slice){ (const char *)random, API_KEY_RANDOM });
	return pool_printf(pool, "%.*s%.*s", SLICE_ARGS(prefix), SLICE_ARGS(text));
}

bool
api_key_well_formed(struct slice key)
{
	return key.size == API_KEY_SIZE && slice_starts_with(key, prefix) && slice_is_alnum(key, BASE64URL_MARKS);
}

struct digest
api_key_hash(struct slice key)
{
	return digest_sha256(&key, 1);
}

struct slice
api_key_from_header(struct slice header)
{
	struct slice trimmed = slice_trim(header);
	size_t from = trimmed.size;
	while (from > 0 && !ascii_is_space(trimmed.data[from - 1]))
		from--;
	return trimmed.size == 0 ? SLICE_NONE : slice_sub(trimmed, from, trimmed.size);
}
