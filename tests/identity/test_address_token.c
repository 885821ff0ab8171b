/* SPDX-License-Identifier: MIT
 * Tokens in links in mails. The expected values were computed with Python's hmac. Modules: identity/signed_token. */
#include "unit.h"
#include "with_pool.h"

#include "identity/signed_token.h"

enum { EXPIRES = 1800000000, CAMPAIGN = 42 };

static const struct slice address = SLICE("ada@example.org");

/* The bytes 100, 101, … 131. */
static struct slice
secret(void)
{
	char *bytes = pool_alloc(pool, 32);
	for (size_t i = 0; i < 32; i++)
		bytes[i] = (char)(100 + i);
	return (struct slice){ bytes, 32 };
}

static struct slice
token_for(enum address_purpose purpose)
{
	return address_token_make(
	    pool, secret(), &(struct address_claim){ purpose, CAMPAIGN, SLICE("0123456789"), address, EXPIRES });
}

/* docs/api.md 4.1.12 */
static void
a_token_is_for_one_address_purpose_and_time(void **state UNUSED)
{
	static const struct slice expected[] = {
		[ADDRESS_CONFIRM] = SLICE("0123456789-1800000000-daNN42BNvBdY5DZ4_8szSGPZ"),
		[ADDRESS_ERASE] = SLICE("0123456789-1800000000-gaw8MfvHXvQ1FwqVD3dJus_Z"),
	};
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		const enum address_purpose purpose = (enum address_purpose)i, other = (enum address_purpose)(1 - i);
		struct address_token token;
		assert_slice(token_for(purpose), expected[i].data);
		assert_true(address_token_read(pool, expected[i], &token));
		assert_slice(token.social_id, "0123456789");
		assert_true(address_token_valid(&token, secret(), purpose, CAMPAIGN, address, EXPIRES - 1));
		assert_true(address_token_valid(&token, secret(), purpose, CAMPAIGN, address, 0));
		assert_false(address_token_valid(&token, secret(), purpose, CAMPAIGN, address, EXPIRES));
		assert_false(address_token_valid(&token, secret(), other, CAMPAIGN, address, 0));
		assert_false(address_token_valid(&token, secret(), purpose, CAMPAIGN + 1, address, 0));
		assert_false(address_token_valid(&token, secret(), purpose, CAMPAIGN, SLICE("bob@example.org"), 0));
		assert_false(address_token_valid(&token, secret(), purpose, CAMPAIGN, SLICE_NONE, 0));
		assert_false(address_token_valid(&token, SLICE("another secret"), purpose, CAMPAIGN, address, 0));
	}
}

/* The content of a token is signed: the lead and the time cannot be replaced. */
static void
a_changed_token_is_invalid(void **state UNUSED)
{
	static const struct slice changed[] = { SLICE("0123456788-1800000000-daNN42BNvBdY5DZ4_8szSGPZ"),
		SLICE("0123456789-1800000001-daNN42BNvBdY5DZ4_8szSGPZ"),
		SLICE("0123456789-1800000000-daNN42BNvBdY5DZ4_8szSGPz"), SLICE("0123456789-1800000000-daNN42BNvBdY5DZ4_8szSGP"),
		SLICE("0123456789-1800000000-") };
	static const struct slice malformed[] = { SLICE(""), SLICE("0123456789"),
		SLICE("0123456789-x-daNN42BNvBdY5DZ4_8szSGPZ"), SLICE("0123456789--daNN42BNvBdY5DZ4_8szSGPZ"),
		SLICE("-1800000000-daNN42BNvBdY5DZ4_8szSGPZ"), SLICE("0123456789-99999999999999999999-a"),
		SLICE("u-1800000000-daNN42BNvBdY5DZ4_8szSGPZ") };
	struct address_token token;
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		assert_true(address_token_read(pool, changed[i], &token));
		assert_false(address_token_valid(&token, secret(), ADDRESS_CONFIRM, CAMPAIGN, address, 0));
	}
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
		assert_false(address_token_read(pool, malformed[i], &token));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_is_for_one_address_purpose_and_time),
		cmocka_unit_test(a_changed_token_is_invalid),
	};
	return cmocka_run_group_tests_name("identity/address_token", tests, begin, end);
}
