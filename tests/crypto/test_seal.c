/* SPDX-License-Identifier: MIT
 * Sealed texts (src/crypto/seal.h; SECURITY.md, Secrets in the database). */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "crypto/seal.h"
#include "with_pool.h"

#define FIRST "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define SECOND "F0E0D0C0B0A090807060504030201000f0e0d0c0b0a090807060504030201000"
#define SECRET "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

static const struct seal_place webhook = { "webhooks.secret", 17 };

static struct seal_keys *
keys_of(const char *list)
{
	struct seal_keys *keys = seal_keys_new(slice_of(list));
	assert_non_null(keys);
	return keys;
}

static enum seal_result
open_with(const char *list, struct seal_place place, struct slice stored, struct slice *text)
{
	struct seal_keys *keys = keys_of(list);
	const enum seal_result result = seal_open(keys, pool, place, stored, text);
	seal_keys_free(&keys);
	return result;
}

/* Computed with another implementation, AESGCM and HKDFExpand of Python's cryptography, with nonce a0 to ab and the first
 * key. */
static void
texts_of_other_implementations_are_opened(void **state UNUSED)
{
	static const struct {
		struct seal_place place;
		const char *text, *sealed;
	} vectors[] = {
		{ { "webhooks.secret", 17 }, SECRET,
		    "sealed:1:29473b16:oKGio6Slpqeoqaqrx3z4HxvlAfHHDq+0oBquM9PTsxjcLcuvdaIy2LHRGY68dqWq0FuD8x6UHlWu7Ms7hwS0/"
		    "OgCiO9NULvZ"
		    "ZYmH2OPm" },
		{ { "users.totp", UINT64_MAX }, "", "sealed:1:29473b16:oKGio6Slpqeoqaqr2fzH1x9NrA+QGMPzJq0iag==" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct slice text;
		assert_int_equal(open_with(FIRST, vectors[i].place, slice_of(vectors[i].sealed), &text), SEAL_OPENED);
		assert_slice(text, vectors[i].text);
		assert_int_equal(strlen(vectors[i].sealed), SEAL_SIZE(strlen(vectors[i].text)));
	}
}

static void
sealed_texts_are_opened(void **state UNUSED)
{
	struct seal_keys *keys = keys_of(FIRST);
	for (size_t size = 0; size < 100; size++) {
		struct slice text = { SECRET SECRET, size }, opened;
		struct slice sealed = seal(keys, pool, webhook, text);
		assert_int_equal(sealed.size, SEAL_SIZE(size));
		assert_true(seal_is_sealed(sealed) && seal_is_current(keys, sealed));
		assert_int_equal(seal_open(keys, pool, webhook, sealed, &opened), SEAL_OPENED);
		assert_slices_equal(opened, text);
	}
	seal_keys_free(&keys);
}

/* Each text gets a new nonce. */
static void
equal_texts_are_sealed_differently(void **state UNUSED)
{
	struct seal_keys *keys = keys_of(FIRST);
	struct slice one = seal(keys, pool, webhook, SLICE(SECRET)), other = seal(keys, pool, webhook, SLICE(SECRET));
	assert_false(slice_equal(one, other));
	assert_null(memmem(one.data, one.size, "whsec", 5));
	seal_keys_free(&keys);
}

/* Changes each bit of each byte, and tries each length. */
static void
changed_texts_are_not_opened(void **state UNUSED)
{
	struct slice text;
	struct seal_keys *keys = keys_of(FIRST " " SECOND);
	const struct slice sealed = seal(keys, pool, webhook, SLICE(SECRET));
	for (size_t i = 0; i < sealed.size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			char *changed = pool_string(pool, sealed);
			changed[i] = (char)(changed[i] ^ 1 << bit);
			const struct slice stored = { changed, sealed.size };
			const enum seal_result result = seal_open(keys, pool, webhook, stored, &text);
			/* without its mark, the text counts as not sealed; the secret is not revealed */
			assert_int_equal(result == SEAL_PLAIN, !seal_is_sealed(stored));
			assert_true(result != SEAL_OPENED && !slice_equal(text, SLICE(SECRET)));
			assert_int_equal(slice_present(text), result == SEAL_PLAIN);
		}
	for (size_t size = sizeof("sealed:") - 1; size < sealed.size; size++) {
		assert_int_equal(seal_open(keys, pool, webhook, slice_sub(sealed, 0, size), &text), SEAL_DAMAGED);
		assert_false(slice_present(text));
	}
	assert_int_equal(seal_open(keys, pool, webhook, pool_printf(pool, "%.*s=", SLICE_ARGS(sealed)), &text), SEAL_DAMAGED);
	seal_keys_free(&keys);
}

static void
texts_are_opened_only_where_they_belong(void **state UNUSED)
{
	static const struct seal_place others[] = { { "webhooks.secret", 18 }, { "webhooks.secret", 1 }, { "webhooks.url", 17 },
		{ "webhooks.secret:1", 7 }, { "", 17 } };
	struct slice text;
	struct seal_keys *keys = keys_of(FIRST);
	const struct slice sealed = seal(keys, pool, webhook, SLICE(SECRET));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		assert_int_equal(seal_open(keys, pool, others[i], sealed, &text), SEAL_DAMAGED);
		assert_false(slice_present(text));
	}
	seal_keys_free(&keys);
}

/* "the first one seals, all open" */
static void
keys_are_rotated(void **state UNUSED)
{
	struct slice text;
	struct seal_keys *old = keys_of(FIRST), *both = keys_of(SECOND "," FIRST);
	const struct slice before = seal(old, pool, webhook, SLICE("before"));
	const struct slice after = seal(both, pool, webhook, SLICE("after"));
	assert_true(seal_is_current(old, before) && !seal_is_current(both, before) && seal_is_current(both, after));
	assert_false(slice_equal(seal_key_of(before), seal_key_of(after)));
	assert_int_equal(seal_open(both, pool, webhook, before, &text), SEAL_OPENED);
	assert_slice(text, "before");
	assert_int_equal(open_with(SECOND, webhook, after, &text), SEAL_OPENED);
	assert_slice(text, "after");
	assert_int_equal(open_with(SECOND, webhook, before, &text), SEAL_UNKNOWN_KEY);
	assert_int_equal(seal_open(old, pool, webhook, after, &text), SEAL_UNKNOWN_KEY);
	assert_int_equal(open_with("", webhook, after, &text), SEAL_UNKNOWN_KEY);
	assert_false(slice_present(text));
	seal_keys_free(&old);
	seal_keys_free(&both);
}

/* "it is not sealed: *text is the stored text". A sealed text of a later version is not taken for such a text. */
static void
texts_that_are_not_sealed_stay(void **state UNUSED)
{
	struct slice text;
	assert_int_equal(open_with("", webhook, SLICE(SECRET), &text), SEAL_PLAIN);
	assert_slice(text, SECRET);
	assert_int_equal(open_with(FIRST, webhook, SLICE_NONE, &text), SEAL_PLAIN);
	assert_false(slice_present(text));
	assert_int_equal(open_with(FIRST, webhook, SLICE("sealed:2:29473b16:oKGio6Slpqeoqaqr2fzH1x9NrA+QGMPzJq0iag=="), &text),
	    SEAL_DAMAGED);
}

static void
lists_of_keys_are_checked(void **state UNUSED)
{
	static const char *const bad[] = { "x", FIRST "0", "00", FIRST " " SECOND " g" SECOND,
		"g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		FIRST " " FIRST " " FIRST " " FIRST " " FIRST " " FIRST " " FIRST " " FIRST " " FIRST };
	struct seal_keys *keys;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_null(seal_keys_new(slice_of(bad[i])));
	keys = keys_of("");
	assert_false(seal_has_key(keys));
	seal_keys_free(&keys);
	keys = keys_of(" " FIRST "\n" SECOND " ");
	assert_true(seal_has_key(keys));
	seal_keys_free(&keys);
	assert_null(keys);
}

#define POOL_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		POOL_TEST(texts_of_other_implementations_are_opened),
		POOL_TEST(sealed_texts_are_opened),
		POOL_TEST(equal_texts_are_sealed_differently),
		POOL_TEST(changed_texts_are_not_opened),
		POOL_TEST(texts_are_opened_only_where_they_belong),
		POOL_TEST(keys_are_rotated),
		POOL_TEST(texts_that_are_not_sealed_stay),
		POOL_TEST(lists_of_keys_are_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
