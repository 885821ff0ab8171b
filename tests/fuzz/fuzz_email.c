/* SPDX-License-Identifier: MIT
 * Email addresses (docs/api.md 4.2): the key is itself a valid address with the same key; so are the key in capitals, the
 * address for display, which is clean, and the cleaned text. No key has invisible characters. */
#include <unictype.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "identity/email.h"
#include "identity/typed.h"

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

/* Except the joiners, which may change how letters look. */
static void
require_visible(struct slice text)
{
	uint32_t c;
	while (utf8_next(&text, &c))
		REQUIRE(c == 0x200c || c == 0x200d ||
			!(uc_is_property_default_ignorable_code_point(c) || uc_is_property_white_space(c) ||
			    uc_is_property_iso_control(c)));
}

static void
require_clean(struct pool *pool, struct slice text)
{
	REQUIRE(slice_equal(typed_clean(pool, text), text));
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
	const struct slice clean = typed_clean(pool, typed);
	struct email email, again;
	require_clean(pool, clean);
	if (email_parse(pool, typed, &email)) {
		REQUIRE(email.display.size <= EMAIL_TYPED_MAX);
		require_key(email.key);
		require_visible(email.key);
		require_clean(pool, email.display);
		require_clean(pool, email.key);
		require_same(pool, email.key, email.key);
		require_same(pool, clean, email.key);
		REQUIRE(email_parse(pool, email.display, &again) && slice_equal(again.display, email.display));
		REQUIRE(slice_equal(again.key, email.key));
		char *capitals = pool_string(pool, email.key);
		for (size_t i = 0; i < email.key.size; i++)
			capitals[i] = ascii_upper(capitals[i]);
		require_same(pool, (struct slice){ capitals, email.key.size }, email.key);
	}
	pool_free(&pool);
	return 0;
}
