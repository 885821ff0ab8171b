/* SPDX-License-Identifier: MIT */
#include "webhook/address_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

/* The network "a.b.c.d/n" for the table below, in the form that both families share. */
#define V4(a, b, c, d, bits)                                                                                  \
	{                                                                                                     \
		{ { [10] = 0xff, [11] = 0xff, [12] = (a), [13] = (b), [14] = (c), [15] = (d) } }, 96 + (bits) \
	}

/* Addresses that no receiver on the public Internet has: IANA's special-purpose registries (RFC 6890), including the anycast
 * services among them. */
static const struct network forbidden_v4[] = {
	V4(0, 0, 0, 0, 8),        /* this network, unspecified; RFC 791 */
	V4(10, 0, 0, 0, 8),       /* private; RFC 1918 */
	V4(100, 64, 0, 0, 10),    /* carrier-grade NAT; RFC 6598; a cloud's metadata at 100.100.100.200 */
	V4(127, 0, 0, 0, 8),      /* loopback; RFC 1122 */
	V4(168, 63, 129, 16, 32), /* a cloud's host agent, in public space */
	V4(169, 254, 0, 0, 16),   /* link-local; RFC 3927; metadata at 169.254.169.254 */
	V4(172, 16, 0, 0, 12),    /* private; RFC 1918 */
	V4(192, 0, 0, 0, 24),     /* protocol assignments; RFC 6890 */
	V4(192, 0, 2, 0, 24),     /* documentation; RFC 5737 */
	V4(192, 31, 196, 0, 24),  /* AS112; RFC 7535 */
	V4(192, 52, 193, 0, 24),  /* AMT; RFC 7450 */
	V4(192, 88, 99, 0, 24),   /* 6to4 relays; RFC 7526 */
	V4(192, 168, 0, 0, 16),   /* private; RFC 1918 */
	V4(192, 175, 48, 0, 24),  /* AS112; RFC 7534 */
	V4(198, 18, 0, 0, 15),    /* benchmarks; RFC 2544 */
	V4(198, 51, 100, 0, 24),  /* documentation; RFC 5737 */
	V4(203, 0, 113, 0, 24),   /* documentation; RFC 5737 */
	V4(224, 0, 0, 0, 4),      /* multicast; RFC 5771 */
	V4(240, 0, 0, 0, 4),      /* reserved; RFC 1112; broadcast; RFC 919 */
};

/* All IPv6 addresses of hosts. Others (loopback, unspecified, v4-compatible, discard-only 100::/64, local NAT64 64:ff9b:1::/48,
 * SRv6 5f00::/16, unique-local, link-local, site-local, multicast, …) are therefore denied. */
static const struct network global_unicast = { { { 0x20 } }, 3 };

static const struct network forbidden_v6[] = {
	{ { { 0x20, 0x01 } }, 23 },                   /* protocol assignments: benchmarks, ORCHID; RFC 2928 */
	{ { { 0x20, 0x01, 0x0d, 0xb8 } }, 32 },       /* documentation; RFC 3849 */
	{ { { 0x26, 0x20, 0x00, 0x4f, 0x80 } }, 48 }, /* AS112; RFC 7534 */
	{ { { 0x3f, 0xfe } }, 16 },                   /* the former 6bone; RFC 3701 */
	{ { { 0x3f, 0xff } }, 20 },                   /* documentation; RFC 9637 */
};

/* IPv6 networks whose addresses embed the IPv4 addresses that packets are sent to. */
static const struct carrier {
	struct network network;
	struct {
		unsigned char offset, mask; /* offset of the embedded address; value that its bytes are XORed with */
	} inner[2];
	size_t count;
} carriers[] = {
	{ { { { 0x20, 0x02 } }, 16 }, { { 2, 0 } }, 1 },               /* 6to4; RFC 3056 */
	{ { { { 0x20, 0x01 } }, 32 }, { { 4, 0 }, { 12, 0xff } }, 2 }, /* Teredo: server and client; RFC 4380 4 */
	{ { { { 0x00, 0x64, 0xff, 0x9b } }, 96 }, { { 12, 0 } }, 1 },  /* NAT64; RFC 6052 2.1 */
};

/* This byte is reserved: the embedded IPv4 address skips it (RFC 6052 2.2). */
enum { NAT64_RESERVED = 8 };

static bool
any_contains(const struct network *networks, size_t count, const struct ip_address *address)
{
	for (size_t i = 0; i < count; i++)
		if (network_contains(&networks[i], address))
			return true;
	return false;
}

static struct ip_address
carried(const struct ip_address *address, size_t offset, unsigned char mask)
{
	unsigned char bytes[4];
	for (size_t i = 0; i < sizeof(bytes); i++) {
		offset += offset == NAT64_RESERVED ? 1 : 0;
		bytes[i] = address->bytes[offset++] ^ mask;
	}
	return ip_address_from_v4(bytes);
}

static bool
carried_allowed(const struct address_rules *rules, const struct carrier *carrier, const struct ip_address *address)
{
	for (size_t i = 0; i < carrier->count; i++) {
		struct ip_address inner = carried(address, carrier->inner[i].offset, carrier->inner[i].mask);
		if (!address_ip_allowed(rules, &inner))
			return false;
	}
	return true;
}

/* *found: whether the address is within one of the prefixes. Where prefixes overlap, each must allow it. */
static bool
translated_allowed(const struct address_rules *rules, const struct ip_address *address, bool *found)
{
	*found = false;
	for (size_t i = 0; i < rules->nat64.count; i++) {
		const struct network *prefix = &rules->nat64.networks[i];
		const struct ip_address inner = carried(address, prefix->prefix / 8, 0);
		if (!network_contains(prefix, address))
			continue;
		*found = true;
		if (!address_ip_allowed(rules, &inner))
			return false;
	}
	return true;
}

bool
address_ip_allowed(const struct address_rules *rules, const struct ip_address *address)
{
	bool is_translated;
	if (network_list_contains(&rules->allow, address))
		return true;
	if (rules->allow_only)
		return false;
	if (ip_address_is_v4(address))
		return !any_contains(forbidden_v4, ARRAY_SIZE(forbidden_v4), address);
	const bool allowed = translated_allowed(rules, address, &is_translated);
	if (is_translated)
		return allowed;
	for (size_t i = 0; i < ARRAY_SIZE(carriers); i++)
		if (network_contains(&carriers[i].network, address))
			return carried_allowed(rules, &carriers[i], address);
	return network_contains(&global_unicast, address) && !any_contains(forbidden_v6, ARRAY_SIZE(forbidden_v6), address);
}

bool
address_port_allowed(const struct address_rules *rules, uint16_t port)
{
	for (size_t i = 0; i < rules->deny_port_count; i++)
		if (rules->deny_ports[i] == port)
			return false;
	return port != 0;
}

bool
address_allowed(const struct address_rules *rules, const struct sockaddr *address)
{
	struct ip_address ip;
	if (!ip_address_from_sockaddr(address, &ip) || !address_ip_allowed(rules, &ip))
		return false;
	/* in both families the port directly follows the family */
	in_port_t port;
	memcpy(&port, (const char *)address + offsetof(struct sockaddr_in, sin_port), sizeof(port));
	return address_port_allowed(rules, ntohs(port));
}

bool
address_nat64_parse(struct pool *pool, struct slice text, struct nat64_prefixes *nat64, struct slice *bad)
{
	struct network *prefixes = NULL;
	size_t count = 0, capacity = 0;
	while (slice_next_item(&text, bad)) {
		struct network *prefix = POOL_ADD(pool, prefixes, count, capacity);
		if (!network_parse(*bad, prefix) || ip_address_is_v4(&prefix->base))
			return false;
		if (prefix->prefix != 96 && (prefix->prefix < 32 || prefix->prefix > 64 || prefix->prefix % 8 != 0))
			return false;
	}
	*nat64 = (struct nat64_prefixes){ prefixes, count };
	return true;
}

bool
address_rules_parse(
    struct pool *pool, struct slice allow_networks, struct slice deny_ports, struct address_rules *rules, struct slice *bad)
{
	struct address_rules parsed = { .deny_port_count = 0 };
	uint16_t *ports = NULL;
	size_t capacity = 0;
	if (!network_list_parse(pool, allow_networks, &parsed.allow, bad))
		return false;
	while (slice_next_item(&deny_ports, bad)) {
		uint64_t port;
		if (!slice_to_u64(*bad, UINT16_MAX, &port))
			return false;
		*POOL_ADD(pool, ports, parsed.deny_port_count, capacity) = (uint16_t)port;
	}
	parsed.deny_ports = ports;
	*rules = parsed;
	return true;
}
