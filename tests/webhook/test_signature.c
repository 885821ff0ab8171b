/* SPDX-License-Identifier: MIT
 * Digests, Base64, ids, keys, signatures, event names.
 *
 * Expected values have other sources: RFC 4231, RFC 4648, FIPS 180-2, and for our own texts Python's hmac and hashlib (for one
 * of them also `openssl dgst -sha256 -mac HMAC`), as noted at each. */
#include "unit.h"
#include "with_pool.h"

#include <pthread.h>
#include <string.h>

#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "engine/events.h"
#include "identity/random_secret.h"
#include "identity/social_id.h"
#include "webhook/signature.h"

static struct slice
run_of(char byte, size_t size)
{
	char *bytes = pool_alloc(pool, size + 1);
	memset(bytes, byte, size);
	return (struct slice){ bytes, size };
}

/* The bytes first, first + 1, … */
static struct slice
counting(unsigned char first, size_t size)
{
	char *bytes = pool_alloc(pool, size + 1);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(first + i);
	return (struct slice){ bytes, size };
}

static struct slice
hex(struct digest digest)
{
	return encode_hex(pool, digest_slice(&digest));
}

/* FIPS 180-2 B.1; several parts are hashed like one text. */
static void
sha256_of_known_texts(void **state UNUSED)
{
	const struct slice whole = SLICE("abc"), pieces[] = { SLICE("a"), SLICE(""), SLICE_NONE, SLICE("bc") };
	assert_slice(hex(digest_sha256(&whole, 1)), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_slice(
	    hex(digest_sha256(pieces, ARRAY_SIZE(pieces))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_slice(hex(digest_sha256(NULL, 0)), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* RFC 4231 4.2, 4.3, 4.7; the empty key: Python. */
static void
hmac_of_known_texts(void **state UNUSED)
{
	const struct slice hi[] = { SLICE("Hi"), SLICE(" There") }, what = SLICE("what do ya want for nothing?"),
			   larger = SLICE("Test Using Larger Than Block-Size Key - Hash Key First");
	assert_slice(hex(digest_hmac_sha256(run_of('\x0b', 20), hi, 2)),
	    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	assert_slice(hex(digest_hmac_sha256(SLICE("Jefe"), &what, 1)),
	    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	assert_slice(hex(digest_hmac_sha256(run_of('\xaa', 131), &larger, 1)),
	    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
	assert_slice(
	    hex(digest_hmac_sha256(SLICE_NONE, NULL, 0)), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

/* Keys may alternate and repeat; each signs as if it were the first. RFC 4231; the empty key: Python. */
static void
hmac_of_keys_in_turn(void **state UNUSED)
{
	const struct slice what = SLICE("what do ya want for nothing?"),
			   larger = SLICE("Test Using Larger Than Block-Size Key - Hash Key First");
	const struct {
		struct slice key, text;
		const char *expected;
	} keys[] = {
		{ SLICE("Jefe"), what, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
		{ run_of('\xaa', 131), larger, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
		{ SLICE_NONE, SLICE(""), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			for (int time = 0; time < 3; time++) {
				size_t which = time == 2 ? k : i;
				assert_slice(
				    hex(digest_hmac_sha256(keys[which].key, &keys[which].text, 1)), keys[which].expected);
			}
}

static void
secrets_compare_as_bytes(void **state UNUSED)
{
	assert_true(digest_equal(SLICE("abc"), SLICE("abc")));
	assert_true(digest_equal(SLICE_NONE, SLICE("")));
	assert_false(digest_equal(SLICE("abc"), SLICE("abd")));
	assert_false(digest_equal(SLICE("abc"), SLICE("ab")));
}

/* RFC 4648 10, and section 5 for the other alphabet. */
static void
base64_goes_both_ways(void **state UNUSED)
{
	static const char *const cases[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" }, { "\xfb\xff\xfe", "+//+" } };
	struct slice bytes;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_slice(base64_encode(pool, slice_of(cases[i][0])), cases[i][1]);
		assert_true(base64_decode(pool, slice_of(cases[i][1]), &bytes));
		assert_slice(bytes, cases[i][0]);
	}
	assert_slice(base64url_encode(pool, SLICE("\xfb\xff\xfe")), "-__-");
	assert_slice(base64url_encode(pool, SLICE("f")), "Zg");
}

static void
base64_is_strict(void **state UNUSED)
{
	static const char *const bad[] = { "Z", "Zg", "Zg=", "Zg===", "Zg==\n",
		" Zg==", "Zm9v Zg==", "Zm9v\nZg=", "Zh==", "Zm9=", "====", "=Zg=", "Z===", "Zg==Zg==", "-__-", "Zm9*",
		"Zm\xc3\xa4" };
	struct slice bytes;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (base64_decode(pool, slice_of(bad[i]), &bytes))
			fail_msg("taken: \"%s\"", bad[i]);
	assert_false(base64_decode(pool, SLICE("Zm9\0"), &bytes));
}

/* docs/api.md 3: "lh_" and 43 URL-safe characters; SHA-256 of the text. Values by Python's base64 and hashlib. */
static void
api_keys_have_one_form(void **state UNUSED)
{
	const struct slice key = SLICE("lh_yMnKy8zNzs_Q0dLT1NXW19jZ2tvc3d7f4OHi4-Tl5uc");
	assert_true(secret_well_formed(SECRET_API_KEY, secret_make(pool, SECRET_API_KEY)));
	assert_slice(hex(secret_hash(key)), "94d06e0fa94228c6084f2e7555ce573dec4b1fd35dbdf42ad3b8c3215f22259b");
	assert_true(secret_well_formed(SECRET_API_KEY, key));
	assert_false(secret_well_formed(SECRET_API_KEY, slice_sub(key, 0, key.size - 1)));
	assert_false(secret_well_formed(SECRET_API_KEY, pool_printf(pool, "%.*sx", SLICE_ARGS(key))));
	assert_false(secret_well_formed(SECRET_API_KEY, SLICE("LH_yMnKy8zNzs_Q0dLT1NXW19jZ2tvc3d7f4OHi4-Tl5uc")));
	assert_false(secret_well_formed(SECRET_API_KEY, SLICE("lh_yMnKy8zNzs+Q0dLT1NXW19jZ2tvc3d7f4OHi4-Tl5uc")));
	assert_false(secret_well_formed(SECRET_API_KEY, SLICE("")));
}

/* docs/api.md 3: "the last word of the `Authorization` header" */
static void
a_header_gives_its_last_token(void **state UNUSED)
{
	assert_slice(api_key_from_header(pool, SLICE("Bearer k")), "k");
	assert_slice(api_key_from_header(pool, SLICE("k")), "k");
	assert_slice(api_key_from_header(pool, SLICE("\xef\xbb\xbf"
						     "Bearer\xc2\xa0k\xe2\x80\x8by\xe3\x80\x80")),
	    "ky");
	assert_slice(api_key_from_header(pool, SLICE("Token token=x\t k  ")), "k");
	assert_false(slice_present(api_key_from_header(pool, SLICE(""))));
	assert_false(slice_present(api_key_from_header(pool, SLICE(" \t"))));
	assert_false(slice_present(api_key_from_header(pool, SLICE_NONE)));
}

/* docs/api.md 4.5: 10 characters of Crockford Base32, 50 bits that all count */
static void
social_ids_have_fifty_bits(void **state UNUSED)
{
	assert_slice(social_id_make(pool, 0), "0000000000");
	assert_slice(social_id_make(pool, UINT64_MAX), "ZZZZZZZZZZ");
	struct slice seen[50];
	for (size_t bit = 0; bit < ARRAY_SIZE(seen); bit++) {
		struct slice id;
		seen[bit] = social_id_make(pool, UINT64_C(1) << bit);
		assert_true(social_id_parse(pool, seen[bit], &id));
		assert_slices_equal(id, seen[bit]);
		for (size_t other = 0; other < bit; other++)
			assert_false(slice_equal(seen[bit], seen[other]));
	}
}

static void
retyped_social_ids_are_understood(void **state UNUSED)
{
	struct slice id = SLICE("untouched");
	assert_true(social_id_parse(pool, SLICE("abcdefghjk"), &id));
	assert_slice(id, "ABCDEFGHJK");
	assert_true(social_id_parse(pool, SLICE("iIlLoO0189"), &id));
	assert_slice(id, "1111000189");
	static const char *const bad[] = { "", "ABC", "ABCDEFGHJKMNPQRST", "ABCDEFGHJU", "36N38U", "ABCDE-GHJK", "ABCDE GHJK",
		"ABCDEFGH\xc3\xa4", "ABC\xe2\x80\x8b" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(social_id_parse(pool, slice_of(bad[i]), &id));
	assert_slice(id, "1111000189");
	static const char *const pasted[] = { " ABCDEFGHJK\n",
		"\xc2\xa0"
		"ABCDEFGHJK",
		"ABCDE\xe2\x80\x8b"
		"FGHJK\xef\xbb\xbf",
		"\xe2\x80\xaa"
		"ABCDEFGHJK\xe2\x80\xac",
		"\xef\xbc\xa1"
		"BCDEFGHJK" };
	for (size_t i = 0; i < ARRAY_SIZE(pasted); i++) {
		assert_true(social_id_parse(pool, slice_of(pasted[i]), &id));
		assert_slice(id, "ABCDEFGHJK");
	}
}

/* docs/api.md 4.5: ids that leads bring from another service have 4 to 16 characters, read as those made here */
static void
social_ids_of_other_services_are_understood(void **state UNUSED)
{
	static const char *const others[][2] = { { "36N38P", "36N38P" }, { "36n38p", "36N38P" }, { "0000", "0000" },
		{ "l0iO", "1010" }, { "abcdefghjkmnpqrs", "ABCDEFGHJKMNPQRS" }, { "ABCDEFGHJKM", "ABCDEFGHJKM" } };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct slice id;
		assert_true(social_id_parse(pool, slice_of(others[i][0]), &id));
		assert_slices_equal(id, slice_of(others[i][1]));
	}
}

/* docs/deliveries.md 2; values by Python's hmac, the second also by openssl. */
static void
deliveries_are_signed_by_standard_webhooks(void **state UNUSED)
{
	struct slice random = counting(0, SIGNATURE_SECRET_RANDOM), header;
	struct slice secret = signature_secret_make(pool, (const unsigned char *)random.data);
	assert_slice(secret, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
	assert_true(signature_header(pool, secret, SLICE("msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"), 1674087231,
	    SLICE("{\"__event\":\"new_signup\",\"email\":\"ann@example.test\"}"), &header));
	assert_slice(header, "v1,2ktYaVKcp7kQxqHQWKdNPJglFtlQrWZF1cA09fmo/zM=");
	assert_true(signature_header(pool, SLICE("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), SLICE("i"), 0, SLICE(""), &header));
	assert_slice(header, "v1,zxHnqqIkIpqGs4zmc3o6B8N0OWAu9nyJYtHL2ddg6PM=");
	struct slice longest = pool_printf(pool, "whsec_%.*s", SLICE_ARGS(base64_encode(pool, run_of('\xff', 64))));
	assert_true(signature_header(pool, longest, SLICE("i"), 0, SLICE(""), &header));
	assert_slice(header, "v1,uTfH4a+VDzWT1Ag1NzNivyljP1b22ZqZh847paNqdZU=");
}

/* Standard Webhooks: 24 to 64 bytes after the prefix. */
static void
invalid_secrets_sign_nothing(void **state UNUSED)
{
	struct slice header = SLICE("untouched");
	const struct slice bad[] = { SLICE_NONE, SLICE("whsec_"), SLICE("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
		SLICE("WHSEC_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), SLICE("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
		SLICE("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA!"),
		pool_printf(pool, "whsec_%.*s", SLICE_ARGS(base64_encode(pool, run_of('x', 65)))) };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(signature_header(pool, bad[i], SLICE("i"), 0, SLICE(""), &header));
	assert_slice(header, "untouched");
}

/* docs/requirements.md "Event names", in docs/api.md 4.7's order; "fraudulent" is converted. */
static void
twelve_events_have_names(void **state UNUSED)
{
	static const char *const names[] = { "new_signup", "repeat_signup", "marked_as_fraudulent", "new_signup_not_excluded",
		"opted_out", "phone_number_opt_out", "verified", "tagged", "score_change", "reward_level", "referral",
		"deleted" };
	enum event_type type = EVENT_TYPES;
	assert_int_equal(EVENT_TYPES, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_slice(event_name((enum event_type)i), names[i]);
		assert_true(event_parse(slice_of(names[i]), &type));
		assert_int_equal(type, i);
	}
	assert_false(slice_present(event_name((enum event_type)EVENT_TYPES)));
	assert_true(event_parse(SLICE("fraudulent"), &type));
	assert_int_equal(type, EVENT_MARKED_AS_FRAUDULENT);
	static const char *const bad[] = { "", "New_Signup", "new_signup ", "test", "fraudulen", "*" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(event_parse(slice_of(bad[i]), &type));
	assert_false(event_parse(SLICE_NONE, &type));
	assert_int_equal(type, EVENT_MARKED_AS_FRAUDULENT);
	assert_int_equal(EVENT_BIT(EVENT_DELETED), 1 << 11);
}

/* Hashes its own key and text repeatedly. Returns whether all results were equal. */
static void *
digest_often(void *context)
{
	const struct slice text = slice_of(context);
	const struct digest hash = digest_sha256(&text, 1), code = digest_hmac_sha256(text, &text, 1);
	size_t same = 0;
	for (unsigned i = 0; i < 20000; i++) {
		const struct digest hash_again = digest_sha256(&text, 1), code_again = digest_hmac_sha256(text, &text, 1);
		same += digest_equal(digest_slice(&hash), digest_slice(&hash_again)) &&
				digest_equal(digest_slice(&code), digest_slice(&code_again))
			    ? 1
			    : 0;
	}
	digest_end_thread();
	return same == 20000 ? context : NULL;
}

static void
threads_do_not_disturb_each_other(void **state UNUSED)
{
	char texts[][8] = { "one", "another" };
	pthread_t threads[ARRAY_SIZE(texts)];
	void *whole;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, digest_often, texts[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(pthread_join(threads[i], &whole), 0);
		assert_ptr_equal(whole, texts[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_of_known_texts),
		cmocka_unit_test(hmac_of_keys_in_turn),
		cmocka_unit_test(hmac_of_known_texts),
		cmocka_unit_test(threads_do_not_disturb_each_other),
		cmocka_unit_test(secrets_compare_as_bytes),
		cmocka_unit_test(base64_goes_both_ways),
		cmocka_unit_test(base64_is_strict),
		cmocka_unit_test(api_keys_have_one_form),
		cmocka_unit_test(a_header_gives_its_last_token),
		cmocka_unit_test(social_ids_have_fifty_bits),
		cmocka_unit_test(retyped_social_ids_are_understood),
		cmocka_unit_test(social_ids_of_other_services_are_understood),
		cmocka_unit_test(deliveries_are_signed_by_standard_webhooks),
		cmocka_unit_test(invalid_secrets_sign_nothing),
		cmocka_unit_test(twelve_events_have_names),
	};
	return cmocka_run_group_tests_name("webhook/signature", tests, begin, end);
}
