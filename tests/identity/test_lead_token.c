/* SPDX-License-Identifier: MIT
 * Tokens of leads. The expected values were computed with Python's hmac. Modules: identity/signed_token. */
#include "unit.h"
#include "with_pool.h"

#include "identity/signed_token.h"

/* Bytes that count up from `first`. */
static struct slice
secret(unsigned char first)
{
	char *bytes = pool_alloc(pool, 32);
	for (size_t i = 0; i < 32; i++)
		bytes[i] = (char)(first + i);
	return (struct slice){ bytes, 32 };
}

static const struct lead_token_owner lead = { .campaign_id = 42, .social_id = SLICE("0123456789"), .id = 7 };

/* docs/api.md 4.1.5, 4.1.11: only holders of the server's secret can act as the lead, and each token has one purpose. */
static void
tokens_belong_to_one_lead_and_purpose(void **state UNUSED)
{
	static const struct slice expected[] = {
		[LEAD_TOKEN_OPT_OUT] = SLICE("vygcUtlhc0FCv3OTfPpdwsoS"),
		[LEAD_TOKEN_STATUS] = SLICE("adLpQQrV8ioh_q5srSgBFpEG"),
	};
	const struct lead_token_owner of_another_campaign = { .campaign_id = 43, .social_id = SLICE("0123456789"), .id = 7 };
	const struct lead_token_owner another = { .campaign_id = 42, .social_id = SLICE("0123456788"), .id = 7 };
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		const enum lead_token_purpose purpose = (enum lead_token_purpose)i;
		const struct slice token = lead_token(pool, secret(100), purpose, &lead);
		assert_slice(token, expected[i].data);
		assert_int_equal(token.size, LEAD_TOKEN_SIZE);
		assert_true(lead_token_valid(token, secret(100), purpose, &lead));
		assert_false(lead_token_valid(expected[1 - i], secret(100), purpose, &lead));
		assert_false(lead_token_valid(token, secret(100), purpose, &of_another_campaign));
		assert_false(lead_token_valid(token, secret(100), purpose, &another));
		assert_false(lead_token_valid(token, secret(101), purpose, &lead));
		assert_false(lead_token_valid(slice_sub(token, 0, 23), secret(100), purpose, &lead));
		assert_false(lead_token_valid(SLICE_NONE, secret(100), purpose, &lead));
	}
	assert_false(lead_token_valid(SLICE("vygcUtlhc0FCv3OTfPpdwsoT"), secret(100), LEAD_TOKEN_OPT_OUT, &lead));
}

/* The token differs in each epoch, and for each lead that has had the social id. */
static void
a_token_is_of_one_epoch(void **state UNUSED)
{
	static const struct slice expected[] = {
		[LEAD_TOKEN_OPT_OUT] = SLICE("J7JSBw3AEyK5EvXqEMIoujqh"),
		[LEAD_TOKEN_STATUS] = SLICE("3Rx8CBWOChz9OKpzaxdUhM6E"),
	};
	const struct lead_token_owner later = { .campaign_id = 42, .social_id = SLICE("0123456789"), .id = 7, .epoch = 3 };
	const struct lead_token_owner others[] = {
		lead,
		{ .campaign_id = 42, .social_id = SLICE("0123456789"), .id = 7, .epoch = 4 },
		{ .campaign_id = 42, .social_id = SLICE("0123456789"), .id = 8, .epoch = 3 },
	};
	for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
		const enum lead_token_purpose purpose = (enum lead_token_purpose)i;
		const struct slice token = lead_token(pool, secret(100), purpose, &later);
		assert_slice(token, expected[i].data);
		assert_true(lead_token_valid(token, secret(100), purpose, &later));
		assert_false(lead_token_valid(token, secret(100), (enum lead_token_purpose)(1 - i), &later));
		for (size_t k = 0; k < ARRAY_SIZE(others); k++)
			assert_false(lead_token_valid(token, secret(100), purpose, &others[k]));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_belong_to_one_lead_and_purpose),
		cmocka_unit_test(a_token_is_of_one_epoch),
	};
	return cmocka_run_group_tests_name("identity/lead_token", tests, begin, end);
}
