/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "os/loopback.h"

static void
loopback_addresses_are_this_host(void **state UNUSED)
{
	static const char *const hosts[] = { "127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost",
		"LocalHost" };
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++)
		assert_true(host_is_loopback(slice_of(hosts[i])));
}

static void
other_hosts_are_not(void **state UNUSED)
{
	static const struct slice hosts[] = { SLICE(""), SLICE("126.255.255.255"), SLICE("128.0.0.1"), SLICE("::2"),
		SLICE("::ffff:128.0.0.1"), SLICE("127.1"), SLICE("127.0.0.1.example"), SLICE("localhost.example"),
		SLICE("127.0.0.1\0.example"), SLICE("127.0.0.1 "), SLICE("[::1]"),
		SLICE("127.0.0.1.a.name.with.as.many.characters.as.no.address.has") };
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++)
		assert_false(host_is_loopback(hosts[i]));
	assert_false(host_is_loopback(SLICE_NONE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_addresses_are_this_host),
		cmocka_unit_test(other_hosts_are_not),
	};
	return cmocka_run_group_tests_name("os/loopback", tests, NULL, NULL);
}
