/* SPDX-License-Identifier: MIT
 * Codes of authenticator apps: the vectors of RFC 6238, and when a code is accepted (docs/users.md 5). */
#include "unit.h"

#include "base/encode.h"
#include "crypto/totp.h"
#include "with_pool.h"

static struct slice
rfc_secret(void)
{
	return encode_base32(pool, SLICE("12345678901234567890"));
}

/* RFC 6238, appendix B. Its codes have eight digits; those with six digits are their ends. */
static void
the_codes_are_those_of_the_rfc(void **state UNUSED)
{
	static const struct {
		int64_t s;
		uint32_t code;
	} vectors[] = {
		{ 59, 94287082 },
		{ 1111111109, 7081804 },
		{ 1111111111, 14050471 },
		{ 1234567890, 89005924 },
		{ 2000000000, 69279037 },
		{ 20000000000, 65353130 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_int_equal(
		    totp_code(pool, rfc_secret(), (uint64_t)(vectors[i].s * 1000 / TOTP_STEP_MS)), vectors[i].code % 1000000);
}

static bool
accepts(int64_t made_s, int64_t now_s, uint64_t last_step)
{
	const struct slice secret = rfc_secret();
	const uint64_t made = (uint64_t)made_s * 1000 / TOTP_STEP_MS;
	const struct slice code = pool_printf(pool, "%06u", (unsigned)totp_code(pool, secret, made));
	uint64_t step = 0;
	const bool accepted = totp_accepts(pool, secret, code, now_s * 1000, last_step, &step);
	assert_int_equal(step, accepted ? made : 0);
	return accepted;
}

/* Codes of the present step and of the one before are accepted. */
static void
a_code_is_valid_for_two_steps(void **state UNUSED)
{
	enum { T = 1234567890 / 30 * 30 };
	assert_true(accepts(T, T, 0));
	assert_true(accepts(T, T + 29, 0));
	assert_true(accepts(T, T + 59, 0));
	assert_false(accepts(T, T + 60, 0));
	assert_false(accepts(T, T - 1, 0));
}

static void
a_code_is_accepted_once(void **state UNUSED)
{
	enum { T = 1234567890 / 30 * 30, STEP = T / 30 };
	assert_true(accepts(T, T, STEP - 1));
	assert_false(accepts(T, T, STEP));
	assert_false(accepts(T - 30, T, STEP));
	assert_true(accepts(T, T + 30, STEP - 1));
}

static void
other_texts_are_no_codes(void **state UNUSED)
{
	static const struct slice texts[] = { SLICE(""), SLICE("5924"), SLICE("05924"), SLICE("0005924"), SLICE("005924 "),
		SLICE_NONE };
	const struct slice secret = rfc_secret();
	uint64_t step;
	assert_true(totp_accepts(pool, secret, SLICE("005924"), INT64_C(1234567890000), 0, &step));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(totp_accepts(pool, secret, texts[i], INT64_C(1234567890000), 0, &step));
}

/* RFC 4648 10. */
static void
base32_is_that_of_the_rfc(void **state UNUSED)
{
	static const struct {
		struct slice bytes, text;
	} vectors[] = {
		{ SLICE(""), SLICE("") },
		{ SLICE("f"), SLICE("MY") },
		{ SLICE("fo"), SLICE("MZXQ") },
		{ SLICE("foo"), SLICE("MZXW6") },
		{ SLICE("foob"), SLICE("MZXW6YQ") },
		{ SLICE("fooba"), SLICE("MZXW6YTB") },
		{ SLICE("foobar"), SLICE("MZXW6YTBOI") },
	};
	static const struct slice bad[] = { SLICE("M"), SLICE("MZ1"), SLICE("MY======"), SLICE("MZ"), SLICE("MZXW6YT") };
	struct slice bytes;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		assert_slices_equal(encode_base32(pool, vectors[i].bytes), vectors[i].text);
		assert_true(decode_base32(pool, vectors[i].text, &bytes));
		assert_slices_equal(bytes, vectors[i].bytes);
		assert_true(decode_base32(pool, pool_copy_lower(pool, vectors[i].text), &bytes));
		assert_slices_equal(bytes, vectors[i].bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(decode_base32(pool, bad[i], &bytes));
}

static void
an_app_reads_the_address(void **state UNUSED)
{
	const struct slice secret = totp_secret_make(pool);
	struct slice bytes;
	assert_true(decode_base32(pool, secret, &bytes));
	assert_int_equal(bytes.size, TOTP_SECRET_SIZE);
	assert_false(slice_equal(secret, totp_secret_make(pool)));
	assert_slice(totp_url(pool, SLICE("Lead hook"), SLICE("a+b@c.example"), SLICE("ABC")),
	    "otpauth://totp/Lead%20hook:a%2Bb%40c.example?secret=ABC&issuer=Lead%20hook");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_codes_are_those_of_the_rfc, begin, end),
		cmocka_unit_test_setup_teardown(a_code_is_valid_for_two_steps, begin, end),
		cmocka_unit_test_setup_teardown(a_code_is_accepted_once, begin, end),
		cmocka_unit_test_setup_teardown(other_texts_are_no_codes, begin, end),
		cmocka_unit_test_setup_teardown(base32_is_that_of_the_rfc, begin, end),
		cmocka_unit_test_setup_teardown(an_app_reads_the_address, begin, end),
	};
	return cmocka_run_group_tests_name("crypto/totp", tests, NULL, NULL);
}
