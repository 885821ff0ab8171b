/* SPDX-License-Identifier: MIT
 * Networks, the address rules of deliveries (docs/deliveries.md 5), the client's address (docs/api.md 5). */
#include "unit.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "identity/network.h"
#include "webhook/address_rules.h"
#include "with_rules.h"

static struct ip_address
address_of(const char *text)
{
	struct ip_address address;
	if (!ip_address_parse(slice_of(text), &address))
		fail_msg("no address: %s", text);
	return address;
}

static struct sockaddr_storage
socket_address(const char *text, uint16_t port)
{
	struct ip_address address = address_of(text);
	struct sockaddr_storage storage = { 0 };
	if (strchr(text, ':') == NULL) {
		struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
		memcpy(&v4.sin_addr, address.bytes + IP_V4_OFFSET, sizeof(v4.sin_addr));
		memcpy(&storage, &v4, sizeof(v4));
	} else {
		struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
		memcpy(&v6.sin6_addr, address.bytes, sizeof(v6.sin6_addr));
		memcpy(&storage, &v6, sizeof(v6));
	}
	return storage;
}

static bool
is_allowed(const struct address_rules *by, const char *text, uint16_t port)
{
	struct sockaddr_storage storage = socket_address(text, port);
	return address_allowed(by, (const struct sockaddr *)&storage);
}

/* The first and the last address of every class in docs/deliveries.md 5. */
static void
forbidden_addresses_are_never_allowed(void **state UNUSED)
{
	static const char *const forbidden[] = { /* unspecified, this network */
		"0.0.0.0", "0.0.0.1", "0.255.255.255", "::",
		/* loopback */
		"127.0.0.0", "127.0.0.1", "127.1.2.3", "127.255.255.255", "::1",
		/* private, unique-local */
		"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
		"fc00::", "fd00:ec2::254", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		/* link-local, metadata, site-local */
		"169.254.0.0", "169.254.169.254", "169.254.255.255", "168.63.129.16", "fe80::1",
		"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::1", "feff:ffff::1",
		/* carrier-grade NAT */
		"100.64.0.0", "100.100.100.200", "100.127.255.255",
		/* multicast, broadcast, reserved */
		"224.0.0.0", "239.255.255.255", "240.0.0.0", "254.255.255.255", "255.255.255.255", "ff00::", "ff02::1",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::1", "8000::1", "fe00::1", "1fff:ffff::1", "1::1",
		/* protocol assignments, benchmarks, relays */
		"192.0.0.0", "192.0.0.170", "192.0.0.255", "198.18.0.0", "198.19.255.255", "192.88.99.1", "192.31.196.1",
		"192.52.193.1", "192.175.48.1", "2001:2::1", "2001:1::1", "2001:1ff:ffff::1", "2620:4f:8000::1",
		/* ORCHID, ORCHIDv2 */
		"2001:10::1", "2001:1f:ffff::1", "2001:20::1", "2001:2f:ffff::1",
		/* documentation */
		"192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
		"3fff::1", "3fff:fff:ffff::1",
		/* discard-only, SRv6, the former 6bone */
		"100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::1", "5f00::1", "5f00:ffff::1", "3ffe::1",
		/* with an embedded IPv4 address: v4-mapped, v4-compatible */
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "::127.0.0.1",
		"::10.0.0.1", "::8.8.8.8",
		/* 6to4 */
		"2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::", "2002:c0a8:101::1", "2002:c000:204::",
		/* Teredo: the client's address inverted, and the server's */
		"2001:0:808:808::80ff:fffe", "2001:0:808:808:0:0:f5ff:fffe", "2001:0:808:808:8000:63bf:5601:5601",
		"2001:0:7f00:1:0:0:f7f7:f7f7",
		/* NAT64, well-known and local */
		"64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b::169.254.169.254", "64:ff9b:1::1", "64:ff9b:1:ffff::8.8.8.8",
		"64:ff9b:0:1::8.8.8.8"
	};
	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (is_allowed(&rules, forbidden[i], 443))
			fail_msg("dialled: %s", forbidden[i]);
}

/* Addresses next to the forbidden ranges, and addresses that embed public ones. */
static void
public_addresses_are_allowed(void **state UNUSED)
{
	static const char *const allowed[] = { "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
		"100.128.0.0", "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255",
		"169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255",
		"192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
		"223.255.255.255", "2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2001:4860:4860::8888",
		"2003::1", "2606:4700::1111", "3ffd:ffff::1", "3fff:1000::1", "2a00::1", "::ffff:8.8.8.8", "2002:808:808::1",
		"64:ff9b::8.8.8.8", "2001:0:808:808::f7f7:f7f7" };
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		if (!is_allowed(&rules, allowed[i], 443))
			fail_msg("refused: %s", allowed[i]);
}

/* "Setting allow_networks opens listed networks": only those, but also when they are embedded in other addresses. */
static void
listed_networks_are_open(void **state UNUSED)
{
	struct address_rules open;
	struct slice bad;
	assert_true(address_rules_parse(pool, SLICE("127.0.0.0/8, fd00:1::/32 10.1.2.3"), default_ports(), &open, &bad));
	static const char *const allowed[] = { "127.0.0.1", "::ffff:127.0.0.1", "fd00:1::5", "10.1.2.3", "8.8.8.8",
		"64:ff9b::127.0.0.1", "2002:a01:203::" };
	static const char *const refused[] = { "::1", "::127.0.0.1", "10.1.2.4", "fd00:2::5", "169.254.169.254",
		"64:ff9b::10.1.2.4" };
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		if (!is_allowed(&open, allowed[i], 8081))
			fail_msg("refused: %s", allowed[i]);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (is_allowed(&open, refused[i], 8081))
			fail_msg("dialled: %s", refused[i]);
	assert_false(is_allowed(&open, "127.0.0.1", 3306));
}

/* "dispatch.nat64_prefixes": the examples of RFC 6052 2.4 with 192.0.2.33, which is documentation, and with other addresses. */
static void
translated_addresses_are_judged_by_what_is_in_them(void **state UNUSED)
{
	static const struct {
		const char *prefix, *inside;
	} refused[] = {
		{ "2600:db8::/32", "2600:db8:c000:221::" },
		{ "2600:db8:100::/40", "2600:db8:1c0:2:21::" },
		{ "2600:db8:122::/48", "2600:db8:122:c000:2:2100::" },
		{ "2600:db8:122:300::/56", "2600:db8:122:3c0:0:221::" },
		{ "2600:db8:122:344::/64", "2600:db8:122:344:c0:2:2100::" },
		{ "2600:db8:122:344::/96", "2600:db8:122:344::192.0.2.33" },
		{ "fd00:64::/96", "fd00:64::169.254.169.254" },
		{ "2600:db8::/32", "2600:db8:7f00:1:aabb::1" }, /* no matter what the rest contains */
		{ "2600:db8::/64 2600:db8::/96", "2600:db8::808:8:0" },
	};
	static const struct {
		const char *prefix, *inside;
	} allowed[] = {
		{ "2600:db8::/32", "2600:db8:808:808::" },
		{ "2600:db8:100::/40", "2600:db8:108:808:8::" },
		{ "2600:db8:122::/48", "2600:db8:122:808:8:800::" },
		{ "2600:db8:122:300::/56", "2600:db8:122:308:8:808::" },
		{ "2600:db8:122:344::/64", "2600:db8:122:344:8:808:800::" },
		{ "64:ff9b:1::/96, fd00:64::/96", "fd00:64::8.8.8.8" },
		{ "fd00:64::/96", "2600:db8:c000:221::" },
	};
	struct address_rules own = rules;
	struct slice bad;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_true(address_nat64_parse(pool, slice_of(refused[i].prefix), &own.nat64, &bad));
		if (is_allowed(&own, refused[i].inside, 443))
			fail_msg("dialled: %s", refused[i].inside);
	}
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		assert_true(address_nat64_parse(pool, slice_of(allowed[i].prefix), &own.nat64, &bad));
		if (!is_allowed(&own, allowed[i].inside, 443))
			fail_msg("refused: %s", allowed[i].inside);
	}
	static const char *const wrong[] = { "10.0.0.0/8", "2001:db8::/31", "2001:db8::/33", "2001:db8::/72", "2001:db8::/128",
		"2001:db8::1", "::ffff:0:0/96", "2001:db8::1/96", "x" };
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const struct slice text = POOL_JOIN(pool, SLICE("fd00:64::/96, "), slice_of(wrong[i]));
		if (address_nat64_parse(pool, text, &own.nat64, &bad))
			fail_msg("accepted: %s", wrong[i]);
		assert_slice(bad, wrong[i]);
	}
	assert_true(address_nat64_parse(pool, SLICE(""), &own.nat64, &bad));
	assert_int_equal(own.nat64.count, 0);
}

static void
denied_ports_are_not_allowed(void **state UNUSED)
{
	static const uint16_t denied[] = { 0, 1, 22, 23, 25, 53, 110, 143, 389, 445, 465, 587, 2049, 2375, 3306, 5432, 6000,
		6379, 6667, 10080, 11211, 27017, 33060 };
	static const uint16_t fine[] = { 80, 81, 443, 3000, 5000, 8000, 8080, 8443, 9000, 49152, 65535 };
	for (size_t i = 0; i < ARRAY_SIZE(denied); i++) {
		assert_false(is_allowed(&rules, "8.8.8.8", denied[i]));
		assert_false(is_allowed(&rules, "2606:4700::1111", denied[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++) {
		assert_true(is_allowed(&rules, "8.8.8.8", fine[i]));
		assert_true(is_allowed(&rules, "2606:4700::1111", fine[i]));
	}
	struct address_rules own;
	struct slice bad;
	assert_true(address_rules_parse(pool, SLICE(""), SLICE("8080,8081"), &own, &bad));
	assert_false(is_allowed(&own, "8.8.8.8", 8081));
	assert_true(is_allowed(&own, "8.8.8.8", 22));
	/* leadhook.conf(5): an empty list setting is an empty list */
	assert_true(address_rules_parse(pool, SLICE(""), SLICE(""), &own, &bad));
	assert_true(is_allowed(&own, "8.8.8.8", 22));
	assert_false(is_allowed(&own, "8.8.8.8", 0));
}

/* docs/mail.md 8.2: the rules for a gateway without TLS. */
static void
no_address_but_those_listed_is_allowed(void **state UNUSED)
{
	struct address_rules own;
	struct slice bad;
	assert_true(address_rules_parse(pool, SLICE("127.0.0.0/8 8.8.8.8"), SLICE(""), &own, &bad));
	own.allow_only = true;
	assert_true(is_allowed(&own, "127.0.0.1", 80));
	assert_true(is_allowed(&own, "8.8.8.8", 80));
	assert_true(is_allowed(&own, "::ffff:8.8.8.8", 80));
	assert_false(is_allowed(&own, "8.8.4.4", 80));
	assert_false(is_allowed(&own, "64:ff9b::808:404", 80));
	assert_false(is_allowed(&own, "2606:4700::1111", 80));
}

static void
other_families_are_never_allowed(void **state UNUSED)
{
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/run/x" };
	assert_false(address_allowed(&rules, (const struct sockaddr *)&local));
}

static void
wrong_rules_name_the_item(void **state UNUSED)
{
	static const char *const networks[] = { "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/08", "10/8",
		"010.0.0.0/8", "fd00::/129", "fd00::1/64", "::ffff:10.0.0.0/8", "localhost", "10.0.0.0/8/9", "fe80::1%eth0" };
	struct address_rules wrong;
	struct slice bad;
	for (size_t i = 0; i < ARRAY_SIZE(networks); i++) {
		struct slice text = pool_printf(pool, "192.0.2.0/24, %s ::1", networks[i]);
		if (address_rules_parse(pool, text, SLICE_NONE, &wrong, &bad))
			fail_msg("taken: %s", networks[i]);
		assert_slice(bad, networks[i]);
	}
	assert_false(address_rules_parse(pool, SLICE_NONE, SLICE("22 65536"), &wrong, &bad));
	assert_slice(bad, "65536");
	assert_false(address_rules_parse(pool, SLICE_NONE, SLICE("22 ssh"), &wrong, &bad));
	assert_slice(bad, "ssh");
}

static void
networks_end_at_their_last_bit(void **state UNUSED)
{
	static const struct {
		const char *network, *inside, *outside;
	} cases[] = {
		{ "10.0.0.0/8", "10.255.255.255", "11.0.0.0" },
		{ "192.0.2.128/25", "192.0.2.129", "192.0.2.127" },
		{ "192.0.2.4/31", "192.0.2.5", "192.0.2.6" },
		{ "192.0.2.4", "192.0.2.4", "192.0.2.5" },
		{ "0.0.0.0/0", "255.255.255.255", "2001:db8::1" },
		{ "::/0", "192.0.2.4", NULL },
		{ "2001:db8:8000::/33", "2001:db8:ffff::", "2001:db8:7fff::" },
		{ "2001:db8::1", "2001:db8::1", "2001:db8::2" },
		{ "::ffff:192.0.2.0/120", "192.0.2.77", "192.0.3.0" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct network_list list;
		struct slice bad;
		assert_true(network_list_parse(pool, slice_of(cases[i].network), &list, &bad));
		assert_int_equal(list.count, 1);
		struct ip_address inside = address_of(cases[i].inside);
		assert_true(network_list_contains(&list, &inside));
		if (cases[i].outside != NULL) {
			struct ip_address outside = address_of(cases[i].outside);
			assert_false(network_list_contains(&list, &outside));
		}
	}
	struct network_list none;
	struct slice bad;
	struct ip_address any = address_of("192.0.2.1");
	assert_true(network_list_parse(pool, SLICE(" , "), &none, &bad));
	assert_false(network_list_contains(&none, &any));
}

/* The result does not depend on the order of a list's items, and a network may be part of others. */
static void
networks_of_a_list_may_be_nested(void **state UNUSED)
{
	const struct slice text =
	    SLICE("192.0.2.200 10.1.0.0/16, 10.0.0.0/8 192.0.2.0/25 10.1.2.3 10.0.0.0/24 2001:db8::/32 192.0.2.7");
	static const char *const inside[] = { "10.0.0.0", "10.1.2.3", "10.1.2.4", "10.255.255.255", "192.0.2.7", "192.0.2.8",
		"192.0.2.200", "2001:db8::1" };
	static const char *const outside[] = { "9.255.255.255", "11.0.0.0", "192.0.2.199", "192.0.2.201", "2001:db9::", "::" };
	struct network_list list;
	struct slice bad;
	assert_true(network_list_parse(pool, text, &list, &bad));
	for (size_t i = 0; i < ARRAY_SIZE(inside); i++) {
		const struct ip_address address = address_of(inside[i]);
		assert_true(network_list_contains(&list, &address));
	}
	for (size_t i = 0; i < ARRAY_SIZE(outside); i++) {
		const struct ip_address address = address_of(outside[i]);
		assert_false(network_list_contains(&list, &address));
	}
}

/* leadhook.conf(5), trusted_proxies */
static void
the_client_is_the_first_untrusted_address(void **state UNUSED)
{
	static const struct {
		const char *remote, *forwarded, *client; /* NULL: absent */
	} cases[] = {
		{ "198.51.100.7", NULL, "198.51.100.7" },
		/* the header of an untrusted peer is ignored */
		{ "198.51.100.7", "203.0.113.1", "198.51.100.7" },
		{ "10.0.0.1", NULL, "10.0.0.1" },
		{ "10.0.0.1", "", "10.0.0.1" },
		{ "10.0.0.1", "203.0.113.1", "203.0.113.1" },
		{ "10.0.0.1", "6.6.6.6, 203.0.113.1", "203.0.113.1" },
		{ "10.0.0.1", "6.6.6.6, 203.0.113.1 ,10.0.0.2,\t10.0.0.3", "203.0.113.1" },
		{ "::ffff:10.0.0.1", "203.0.113.1", "203.0.113.1" },
		{ "10.0.0.1", "::ffff:203.0.113.1", "203.0.113.1" },
		{ "10.0.0.1", "10.0.0.4, 10.0.0.3", "10.0.0.4" },
		{ "2001:db8::10", "2001:DB8:0::5", "2001:db8::5" },
		/* ports, brackets, zones */
		{ "10.0.0.1", "203.0.113.1:4711", "203.0.113.1" },
		{ "10.0.0.1", "[2001:db8::5]", "2001:db8::5" },
		{ "10.0.0.1", "[2001:db8::5]:4711", "2001:db8::5" },
		{ "10.0.0.1", "fe80::5%eth0", "fe80::5" },
		{ "10.0.0.1", "203.0.113.1, 10.0.0.2:80", "203.0.113.1" },
		/* an invalid item ends the search */
		{ "10.0.0.1", "203.0.113.1, unknown", "10.0.0.1" },
		{ "10.0.0.1", "203.0.113.1, unknown, 10.0.0.2", "10.0.0.2" },
		{ "10.0.0.1", "203.0.113.1,", "203.0.113.1" },
		{ "10.0.0.1", "203.0.113.1, ,10.0.0.2", "203.0.113.1" },
		{ "10.0.0.1", ",", "10.0.0.1" },
		{ "10.0.0.1", "203.0.113.1, [2001:db8::5]x", "10.0.0.1" },
		{ "10.0.0.1", "203.0.113.1, [2001:db8::5", "10.0.0.1" },
		{ "10.0.0.1", "0x7f.1", "10.0.0.1" },
		{ "", "203.0.113.1", NULL },
		{ NULL, "203.0.113.1", NULL },
		{ "unix:", "203.0.113.1", NULL },
	};
	struct network_list trusted;
	struct slice bad;
	assert_true(network_list_parse(pool, SLICE("10.0.0.0/24 2001:db8::10"), &trusted, &bad));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ip_address address;
		struct slice client =
		    client_address(slice_of(cases[i].remote), slice_of(cases[i].forwarded), &trusted, &address)
			? ip_address_format(pool, &address)
			: SLICE_NONE;
		if (slice_present(client) != (cases[i].client != NULL) || !slice_equal(client, slice_of(cases[i].client)))
			fail_msg("%s after %s: %.*s", cases[i].forwarded, cases[i].remote, SLICE_ARGS(client));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forbidden_addresses_are_never_allowed),
		cmocka_unit_test(public_addresses_are_allowed),
		cmocka_unit_test(listed_networks_are_open),
		cmocka_unit_test(translated_addresses_are_judged_by_what_is_in_them),
		cmocka_unit_test(denied_ports_are_not_allowed),
		cmocka_unit_test(no_address_but_those_listed_is_allowed),
		cmocka_unit_test(other_families_are_never_allowed),
		cmocka_unit_test(wrong_rules_name_the_item),
		cmocka_unit_test(networks_end_at_their_last_bit),
		cmocka_unit_test(networks_of_a_list_may_be_nested),
		cmocka_unit_test(the_client_is_the_first_untrusted_address),
	};
	return cmocka_run_group_tests_name("webhook/address_rules", tests, begin_with_rules, end);
}
