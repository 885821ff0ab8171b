/* SPDX-License-Identifier: MIT */
#include "identity/social_id.h"

#include "identity/typed.h"

/* Crockford's alphabet: without I, L and O, which look like digits, and without U */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

enum { BITS = 5 };

struct slice
social_id_make(struct pool *pool, uint64_t random)
{
	char *id = pool_alloc(pool, SOCIAL_ID_MADE + 1);
	for (size_t i = 0; i < SOCIAL_ID_MADE; i++, random >>= BITS)
		id[i] = alphabet[random & ((1u << BITS) - 1)];
	return (struct slice){ id, SOCIAL_ID_MADE };
}

/* The stored character for a submitted one, or 0. */
static char
decode(char typed)
{
	char c = ascii_lower(typed);
	if (c == 'i' || c == 'l')
		c = '1';
	else if (c == 'o')
		c = '0';
	for (size_t i = 0; i < sizeof(alphabet) - 1; i++)
		if (ascii_lower(alphabet[i]) == c)
			return alphabet[i];
	return 0;
}

bool
social_id_parse(struct pool *pool, struct slice typed, struct slice *id)
{
	typed = typed_clean(pool, typed);
	if (typed.size < SOCIAL_ID_MIN || typed.size > SOCIAL_ID_MAX)
		return false;
	char *out = pool_alloc(pool, typed.size + 1);
	for (size_t i = 0; i < typed.size; i++) {
		out[i] = decode(typed.data[i]);
		if (out[i] == 0)
			return false;
	}
	*id = (struct slice){ out, typed.size };
	return true;
}
