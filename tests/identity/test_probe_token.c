/* SPDX-License-Identifier: MIT
 * Tokens of probes (docs/api.md 4.1, GET /health/echo). The expected value was computed with Python's hmac.
 * Modules: identity/signed_token. */
#include "unit.h"
#include "with_pool.h"

#include "identity/signed_token.h"

#define SECRET SLICE("0123456789abcdef0123456789abcdef")
#define MADE INT64_C(1795600000000)

/* Only holders of the secret can make such a token, and tokens for other purposes are not accepted. */
static void
a_token_is_made_with_the_secret(void **state UNUSED)
{
	const struct slice token = probe_token(pool, SECRET, MADE);
	assert_slice(token, "1795600000000.kSrS-3vH8w7rm4n4VXeGf0Eh");
	assert_true(token.size <= PROBE_TOKEN_MAX);
	assert_true(probe_token_is_genuine(token, SECRET));
	assert_false(probe_token_is_genuine(token, SLICE("another")));
	assert_false(probe_token_is_genuine(slice_sub(token, 0, token.size - 1), SECRET));
	assert_false(probe_token_is_genuine(slice_sub(token, 1, token.size), SECRET));
	assert_false(probe_token_is_genuine(SLICE("1795600000000"), SECRET));
	assert_false(probe_token_is_genuine(SLICE("1795600000000."), SECRET));
	assert_false(probe_token_is_genuine(SLICE(""), SECRET));
	const struct lead_token_owner lead = { .campaign_id = 1, .social_id = SLICE("0123456789") };
	const struct slice other = lead_token(pool, SECRET, LEAD_TOKEN_STATUS, &lead);
	assert_false(probe_token_is_genuine(pool_printf(pool, "1795600000000.%.*s", SLICE_ARGS(other)), SECRET));
}

/* A token is valid for a minute before and after its time, because the clocks of hosts differ. */
static void
a_token_is_valid_for_a_minute(void **state UNUSED)
{
	const struct slice token = probe_token(pool, SECRET, MADE);
	for (int sign = -1; sign <= 1; sign += 2) {
		assert_true(probe_token_is_current(token, MADE + sign * (PROBE_TOKEN_VALID_MS - 1)));
		assert_false(probe_token_is_current(token, MADE + sign * PROBE_TOKEN_VALID_MS));
	}
	static const struct slice wrong[] = { SLICE(""), SLICE("."), SLICE("x.kSrS-3vH8w7rm4n4VXeGf0Eh"),
		SLICE("-1795600000000.x"), SLICE("18446744073709551615.x"), SLICE("9223372036854775807.x"),
		SLICE("01795600000000.x") };
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(probe_token_is_current(wrong[i], MADE));
	assert_false(probe_token_is_current(pool_printf(pool, "1795600000000.%040d", 0), MADE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_is_made_with_the_secret),
		cmocka_unit_test(a_token_is_valid_for_a_minute),
	};
	return cmocka_run_group_tests_name("identity/probe_token", tests, begin, end);
}
