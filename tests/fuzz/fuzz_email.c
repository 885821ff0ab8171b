/* SPDX-License-Identifier: MIT
 * Email addresses (docs/api.md 4.2): the key is a valid address with the same key, and so is its spelling in capitals. */
#include "base/utf8.h"
#include "fuzz.h"
#include "identity/email.h"

static void
require_key(struct slice key)
{
	size_t at = slice_find(key, '@');
	struct slice local = slice_sub(key, 0, at), domain = slice_sub(key, at + 1, key.size);
	REQUIRE(key.size <= EMAIL_MAX && local.size >= 1 && local.size <= EMAIL_LOCAL_MAX);
	REQUIRE(utf8_valid(key) && !slice_has_control(key) && slice_find(key, ' ') == key.size);
	REQUIRE(slice_is_ascii(domain) && slice_find(domain, '.') < domain.size && slice_find(domain, '@') == domain.size);
	for (size_t i = 0; i < key.size; i++)
		REQUIRE(key.data[i] < 'A' || key.data[i] > 'Z');
}

static void
require_same(struct pool *pool, struct slice typed, struct slice key)
{
	struct email again;
	REQUIRE(email_parse(pool, typed, &again) && slice_equal(again.key, key));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice typed = fuzz_input(data, size);
	struct email email;
	if (email_parse(pool, typed, &email)) {
		REQUIRE(email.display.data == typed.data && email.display.size == typed.size && typed.size <= EMAIL_TYPED_MAX);
		require_key(email.key);
		require_same(pool, email.key, email.key);
		char *capitals = pool_string(pool, email.key);
		for (size_t i = 0; i < email.key.size; i++)
			capitals[i] = ascii_upper(capitals[i]);
		require_same(pool, (struct slice){ capitals, email.key.size }, email.key);
	}
	pool_free(&pool);
	return 0;
}
