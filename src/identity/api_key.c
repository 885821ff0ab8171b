/* SPDX-License-Identifier: MIT */
#include "identity/api_key.h"

#include <inttypes.h>
#include <string.h>

#include "crypto/base64.h"
#include "identity/typed.h"
#include "os/random.h"

static const struct slice prefix = SLICE("lh_"), inbound_prefix = SLICE("in_");

static struct slice
make(struct pool *pool, struct slice start, const unsigned char *random)
{
	struct slice text = base64url_encode(pool, (struct slice){ (const char *)random, API_KEY_RANDOM });
	return pool_printf(pool, "%.*s%.*s", SLICE_ARGS(start), SLICE_ARGS(text));
}

static bool
is_well_formed(struct slice text, struct slice start)
{
	return text.size == API_KEY_SIZE && slice_starts_with(text, start) && slice_is_alnum(text, BASE64URL_MARKS);
}

struct slice
api_key_make(struct pool *pool, const unsigned char random[API_KEY_RANDOM])
{
	return make(pool, prefix, random);
}

bool
api_key_well_formed(struct slice key)
{
	return is_well_formed(key, prefix);
}

struct slice
inbound_token_make(struct pool *pool)
{
	unsigned char random[API_KEY_RANDOM];
	random_bytes(random, sizeof(random));
	const struct slice token = make(pool, inbound_prefix, random);
	explicit_bzero(random, sizeof(random));
	return token;
}

bool
inbound_token_well_formed(struct slice token)
{
	return is_well_formed(token, inbound_prefix);
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

struct digest
api_key_hash(struct slice key)
{
	return digest_sha256(&key, 1);
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
