/* SPDX-License-Identifier: MIT
 * What an address is counted as (docs/api.md 5). Modules: limit/limiter. */
#include "unit.h"

#include "limit/limiter.h"

static struct ip_address
address_of(const char *text)
{
	struct ip_address address;
	assert_true(ip_address_parse(slice_of(text), &address));
	return address;
}

/* Returns whether both are the same caller, or in the same network, at this reach. */
static bool
same(const char *a, const char *b, uint64_t campaign_a, uint64_t campaign_b, size_t reach)
{
	struct limit_claim claims[2][LIMIT_REACHES];
	struct limit_name names[2][LIMIT_REACHES];
	const struct ip_address addresses[] = { address_of(a), address_of(b) };
	const size_t count = limit_claim_address(&addresses[0], LIMIT_LOGINS, campaign_a, claims[0], names[0]);
	assert_int_equal(limit_claim_address(&addresses[1], LIMIT_LOGINS, campaign_b, claims[1], names[1]), count);
	assert_true(reach < count);
	assert_int_equal(claims[0][reach].kind, LIMIT_LOGINS);
	assert_int_equal(claims[0][reach].reach, reach);
	return slice_equal(claims[0][reach].caller, claims[1][reach].caller);
}

static void
an_ipv4_address_is_a_caller(void **state)
{
	(void)state;
	assert_true(same("192.0.2.1", "192.0.2.1", 0, 0, REACH_CALLER));
	assert_false(same("192.0.2.1", "192.0.2.2", 0, 0, REACH_CALLER));
	assert_false(same("192.0.2.1", "192.0.2.1", 1, 2, REACH_CALLER));
}

/* An IPv6 client has a /64, a site a /56, and some sites a /48. */
static void
an_ipv6_network_is_a_caller(void **state)
{
	(void)state;
	assert_true(same("2001:db8::1", "2001:db8::ffff:0:0:2", 0, 0, REACH_CALLER));
	assert_false(same("2001:db8:0:1::1", "2001:db8:0:2::1", 0, 0, REACH_CALLER));
	assert_true(same("2001:db8:0:1::1", "2001:db8:0:2::1", 0, 0, REACH_SITE));
	assert_false(same("2001:db8:0:100::1", "2001:db8:0:200::1", 0, 0, REACH_SITE));
	assert_true(same("2001:db8:0:100::1", "2001:db8:0:200::1", 0, 0, REACH_PROVIDER));
	assert_false(same("2001:db8:1::1", "2001:db8:2::1", 0, 0, REACH_PROVIDER));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ipv4_address_is_a_caller),
		cmocka_unit_test(an_ipv6_network_is_a_caller),
	};
	return cmocka_run_group_tests_name("limit/limit_address", tests, NULL, NULL);
}
