/* SPDX-License-Identifier: MIT
 * An address (as text, or as four or sixteen bytes), the allowed networks, and the denied ports, one per line
 * (docs/deliveries.md 5): a forbidden address is rejected in any spelling of the URL. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "fuzz.h"
#include "webhook/address_rules.h"
#include "webhook/webhook_url.h"

enum { V4_SIZE = 4 };

static struct ip_address
read_address(struct slice line)
{
	struct ip_address address = { { 0 } };
	unsigned char bytes[sizeof(address.bytes)] = { 0 };
	if (ip_address_parse(line, &address))
		return address;
	memcpy(bytes, line.data, line.size < sizeof(bytes) ? line.size : sizeof(bytes));
	if (line.size <= V4_SIZE)
		return ip_address_from_v4(bytes);
	memcpy(address.bytes, bytes, sizeof(bytes));
	return address;
}

static struct slice
spell(struct pool *pool, struct slice host)
{
	return POOL_JOIN(pool, SLICE("http://"), host, SLICE("/"));
}

static void
require_judged(struct pool *pool, struct slice host, const struct address_rules *rules, bool allowed)
{
	REQUIRE(webhook_url_judge(pool, spell(pool, host), rules) == (allowed ? WEBHOOK_URL_OK : WEBHOOK_URL_FORBIDDEN));
}

/* Each byte of the text as `prefix` and its two hexadecimal digits. */
static struct slice
escaped(struct pool *pool, struct slice text)
{
	struct slice out = SLICE("");
	for (size_t i = 0; i < text.size; i++)
		out = pool_printf(pool, "%.*s%%%02X", SLICE_ARGS(out), (unsigned char)text.data[i]);
	return out;
}

/* U+FF10 to U+FF19 for digits, U+3002 for dots: IDNA maps them. */
static struct slice
full_width(struct pool *pool, struct slice text)
{
	struct slice out = SLICE("");
	for (size_t i = 0; i < text.size; i++)
		out = text.data[i] == '.'
			  ? POOL_JOIN(pool, out, SLICE("\xe3\x80\x82"))
			  : pool_printf(pool, "%.*s\xef\xbc%c", SLICE_ARGS(out), (char)(0x90 + (text.data[i] - '0')));
	return out;
}

/* Spellings of an IPv4 address by inet_aton(3), URLs and Unicode. All are dialled like the plain address. */
static void
require_spellings_v4(struct pool *pool, const unsigned char b[V4_SIZE], const struct address_rules *rules, bool allowed)
{
	unsigned number = (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
	struct slice plain = pool_printf(pool, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]), dialled;
	const struct slice spellings[] = {
		plain,
		pool_printf(pool, "%u", number),
		pool_printf(pool, "0x%x", number),
		pool_printf(pool, "0X%08X", number),
		pool_printf(pool, "0%o", number),
		pool_printf(pool, "%u.%u", b[0], number & 0xffffff),
		pool_printf(pool, "0%o.0x%x.%u", b[0], b[1], number & 0xffff),
		pool_printf(pool, "0x%x.0x%02X.0%o.%u", b[0], b[1], b[2], b[3]),
		pool_printf(pool, "0%o.00%o.000%o.0%o", b[0], b[1], b[2], b[3]),
		POOL_JOIN(pool, plain, SLICE(".")),
		escaped(pool, plain),
		escaped(pool, pool_printf(pool, "%u", number)),
		full_width(pool, plain),
		full_width(pool, pool_printf(pool, "%u", number)),
		pool_printf(pool, "[::ffff:%.*s]", SLICE_ARGS(plain)),
		pool_printf(pool, "[::FFFF:%x:%X]", number >> 16, number & 0xffff),
		pool_printf(pool, "[0:0:0:0:0:ffff:%x:%x]", number >> 16, number & 0xffff),
	};
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		require_judged(pool, spellings[i], rules, allowed);
		REQUIRE(webhook_url_dial(pool, spell(pool, spellings[i]), &dialled));
		REQUIRE(slice_equal(dialled, spell(pool, plain)));
	}
}

/* IPv6 addresses that carry the IPv4 address are treated like it. */
static void
require_carriers(struct pool *pool, const unsigned char b[V4_SIZE], const struct address_rules *rules, bool allowed)
{
	unsigned high = (unsigned)b[0] << 8 | b[1], low = (unsigned)b[2] << 8 | b[3];
	const struct slice carriers[] = {
		pool_printf(pool, "[64:ff9b::%u.%u.%u.%u]", b[0], b[1], b[2], b[3]),
		pool_printf(pool, "[2002:%x:%x::1]", high, low),
		pool_printf(pool, "[2001:0:%x:%x::f7f7:f7f7]", high, low),
		pool_printf(pool, "[2001:0:808:808::%x:%x]", high ^ 0xffff, low ^ 0xffff),
	};
	for (size_t i = 0; i < ARRAY_SIZE(carriers); i++)
		require_judged(pool, carriers[i], rules, allowed);
}

static void
require_spellings_v6(struct pool *pool, const struct ip_address *address, const struct address_rules *rules, bool allowed)
{
	const unsigned char *b = address->bytes;
	struct slice plain = ip_address_format(pool, address), whole = SLICE("");
	for (size_t i = 0; i < sizeof(address->bytes); i += 2)
		whole = pool_printf(pool, "%.*s%s%02X%02X", SLICE_ARGS(whole), i == 0 ? "" : ":", b[i], b[i + 1]);
	const struct slice spellings[] = {
		pool_printf(pool, "[%.*s]", SLICE_ARGS(plain)),
		pool_printf(pool, "[%.*s]", SLICE_ARGS(whole)),
		pool_printf(pool, "[%.*s%%25eth0]", SLICE_ARGS(plain)),
		pool_printf(pool, "[%.*s%%eth0]", SLICE_ARGS(whole)),
	};
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
		require_judged(pool, spellings[i], rules, allowed);
}

/* The check when the address is dialled. */
static void
require_dialled(const struct ip_address *address, const struct address_rules *rules, bool allowed)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(80) };
	memcpy(&v6.sin6_addr, address->bytes, sizeof(v6.sin6_addr));
	REQUIRE(address_allowed(rules, (const struct sockaddr *)&v6) == allowed);
	if (!ip_address_is_v4(address))
		return;
	memcpy(&v4.sin_addr, address->bytes + IP_V4_OFFSET, sizeof(v4.sin_addr));
	REQUIRE(address_allowed(rules, (const struct sockaddr *)&v4) == allowed);
}

/* An allowed network contains its own base, and is the same when it is written and read again. */
static void
require_networks(struct pool *pool, const struct address_rules *rules)
{
	for (size_t i = 0; i < rules->allow.count; i++) {
		const struct network *network = &rules->allow.networks[i];
		struct network_list again;
		struct slice bad;
		bool v4 = ip_address_is_v4(&network->base) && network->prefix >= 96;
		struct slice base = ip_address_format(pool, &network->base);
		REQUIRE(network->prefix <= 128 && network_contains(network, &network->base));
		REQUIRE(address_ip_allowed(rules, &network->base));
		if (ip_address_is_v4(&network->base) && !v4)
			continue; /* wider than IPv4, which cannot be written */
		struct slice text = pool_printf(pool, "%.*s/%u", SLICE_ARGS(base), network->prefix - (v4 ? 96 : 0));
		REQUIRE(network_list_parse(pool, text, &again, &bad) && again.count == 1);
		REQUIRE(again.networks[0].prefix == network->prefix &&
			memcmp(&again.networks[0].base, &network->base, sizeof(network->base)) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice rest = fuzz_input(data, size), line = fuzz_line(&rest), networks = fuzz_line(&rest), bad;
	struct ip_address address = read_address(line), again;
	struct address_rules rules, closed;
	REQUIRE(address_rules_parse(pool, SLICE_NONE, SLICE_NONE, &closed, &bad));
	bool allowed = address_ip_allowed(&closed, &address);
	REQUIRE(ip_address_parse(ip_address_format(pool, &address), &again));
	REQUIRE(memcmp(&address, &again, sizeof(address)) == 0);
	require_dialled(&address, &closed, allowed);
	if (ip_address_is_v4(&address)) {
		require_spellings_v4(pool, address.bytes + IP_V4_OFFSET, &closed, allowed);
		require_carriers(pool, address.bytes + IP_V4_OFFSET, &closed, allowed);
	} else {
		require_spellings_v6(pool, &address, &closed, allowed);
	}
	if (address_rules_parse(pool, networks, rest, &rules, &bad)) {
		require_networks(pool, &rules);
		REQUIRE(!allowed || address_ip_allowed(&rules, &address)); /* allowed networks deny nothing */
		REQUIRE(!address_port_allowed(&rules, 0));
	}
	pool_free(&pool);
	return 0;
}
