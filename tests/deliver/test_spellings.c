/* SPDX-License-Identifier: MIT
 * Spellings of forbidden addresses (docs/deliveries.md 1, registration; 5, connection): the result of registering each of them,
 * and of sending to it, where libcurl and the C library parse numbers.
 *
 * No names are resolved. Modules: webhook/webhook_url, webhook/address_rules, deliver/send. */
#include "unit.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>

#include "deliver/send/sender.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "receiver.h"
#include "webhook/webhook_url.h"
#include "with_pool.h"

enum { DEADLINE_MS = 10000, TIMEOUT_MS = 3000 };

static struct address_rules rules;
static struct event_loop *loop;
static struct sender *sender;
static int port;

/* ---- getaddrinfo: numbers only ---- */

int
getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	struct addrinfo numbers = hints == NULL ? (struct addrinfo){ .ai_family = AF_UNSPEC } : *hints;
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	numbers.ai_flags |= AI_NUMERICHOST;
	return real(name, service, &numbers, result);
}

/* ---- one attempt ---- */

struct seen {
	bool done;
	enum sender_error error;
};

static void
see(void *context UNUSED, void *cookie, const struct attempt_result *result)
{
	*(struct seen *)cookie = (struct seen){ .done = true, .error = result->error };
}

static enum sender_error
dial(const char *url)
{
	struct seen seen = { .done = false };
	int64_t deadline = clock_monotonic_ms() + DEADLINE_MS;
	sender_start(sender, &(struct attempt){ .url = url, .body = SLICE("{}") }, &seen);
	while (!seen.done && clock_monotonic_ms() < deadline)
		event_loop_wait(loop, clock_monotonic_ms() + 100);
	assert_true(seen.done);
	return seen.error;
}

static void
use_rules(const char *allow_networks)
{
	static struct sender_options options = {
		.user_agent = "test",
		.in_flight = 1,
		.connect_timeout_ms = TIMEOUT_MS,
		.timeout_ms = TIMEOUT_MS,
		.rules = &rules,
	};
	struct slice bad;
	sender_free(&sender);
	assert_true(address_rules_parse(pool, slice_of(allow_networks), SLICE_NONE, &rules, &bad));
	if (loop == NULL)
		loop = event_loop_new();
	sender = sender_new(loop, &options, see, NULL);
	assert_non_null(sender);
	receiver_reset();
}

static int
set_up(void **state)
{
	port = receiver_start();
	return begin(state);
}

static int
tear_down(void **state)
{
	sender_free(&sender);
	event_loop_free(&loop);
	return end(state);
}

/* ---- tests ---- */

/* The text between "http://" and ":port/…". */

static const char *const of_127_0_0_1[] = {
	/* decimal, octal, hexadecimal, in four parts or fewer */
	"127.0.0.1", "127.0.1", "127.1", "2130706433", "0x7f000001", "0x7F000001", "0X7f000001", "0x7f.1", "0x7f.0x000001",
	"0x7f.0.0.0x1", "0x7f.0x0.0x0.0x1", "0x0000007f.1", "017700000001", "0177.1", "0177.0.0.01", "00000177.0.0.1",
	"0177.0x0.0.1", "127.0.0.01", "127.000.000.001", "0x7f.0.1", "127.0x1", "127.01",
	/* with a trailing dot */
	"127.0.0.1.", "127.1.", "2130706433.", "0x7f.1.",
	/* percent-encoded */
	"%31%32%37.0.0.1", "%31%32%37%2e%30%2e%30%2e%31", "127%2E0%2E0%2E1", "127.0.0.1%2E", "127.0.0.%31", "0%78%37f.1",
	"%32130706433", "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
	/* other dots and digits, and ignored characters */
	"127\u30020\u30020\u30021", "127\uff0e0\uff0e0\uff0e1", "127\uff610\uff610\uff611", "\uff11\uff12\uff17.0.0.1",
	"\uff11\uff12\uff17\uff0e\uff10\uff0e\uff10\uff0e\uff11", "\u2460\u2461\u2466.0.0.1", "\u246b7.0.0.1",
	"\U0001d7cf\U0001d7d0\U0001d7d5.0.0.1", "\uff10\uff587f.1", "\u00b927.1", "127.0.0.1\u00ad", "12\u00ad7.0.0.1",
	"127.0.0.1\u200b",
	/* v4-mapped */
	"[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "[0:0:0:0:0:ffff:7f00:1]", "[::ffff:7f00:0001]", "[::ffff:127.0.0.1%25lo]"
};

static const char *const forbidden[] = {
	/* other addresses of the loopback net, this network, broadcast */
	"127.65535", "127.0.256", "127.0.0", "127.255.255.254", "0", "00", "0x0", "0.0.0.0", "0.1", "1", "0x1", "4294967295",
	"037777777777", "0xffffffff", "255.255.255.255",
	/* private nets */
	"10.0.0.1", "10.1", "167772161", "0xa000001", "012.1", "172.16.0.1", "172.16.1", "0xac100001", "172.31.65535",
	"192.168.1.1", "192.168.257", "0xc0a80101", "3232235777", "030052000401",
	/* metadata, carrier-grade NAT, multicast, reserved, benchmarks, documentation */
	"169.254.169.254", "169.254.43518", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "025177524776",
	"0xA9.254.0251.254", "169.254.169.254.", "100.64.1", "100.100.100.200", "168.63.129.16", "224.1", "240.1", "198.18.1",
	"192.0.2.1", "192.88.99.1",
	/* ::1, in many forms, with zone ids */
	"[::1]", "[0::1]", "[::01]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0.0.0.1]",
	"[::1%25lo]", "[::1%lo]", "[::1%251]", "[::1%1]", "[::%31]", "[::]", "[0:0:0:0:0:0:0:0]",
	/* v4-mapped, v4-compatible, translated */
	"[0:0:0:0:0:ffff:169.254.169.254]", "[::ffff:10.0.0.1]", "[::ffff:a00:1]", "[::127.0.0.1]", "[::7f00:1]", "[::8.8.8.8]",
	"[::ffff:0:127.0.0.1]",
	/* NAT64, 6to4, Teredo */
	"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::8.8.8.8]", "[2002:7f00:1::]",
	"[2002:a9fe:a9fe::1]", "[2002:a00:1::1]", "[2001:0:808:808::80ff:fffe]", "[2001::80ff:fffe]",
	"[2001:0:7f00:1::f7f7:f7f7]",
	/* link-local, unique-local, site-local, multicast, others */
	"[fe80::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]",
	"[2001:db8::1]", "[2001:2::1]", "[3fff::1]", "[5f00::1]", "[4000::1]",
	/* what looks like user-info is path, query or fragment */
	"127.0.0.1?@hooks.example", "127.0.0.1/@hooks.example", "127.0.0.1#@hooks.example"
};

static const char *const invalid[] = {
	/* too large, too many parts, too few, not a number */
	"4294967296", "4429185024", "6425673729", "0x100007f000001", "127.0.0.1.0", "127..0.1", ".127.0.0.1", "127.0.0.1..",
	"127.0.0.256", "256.0.0.1", "127.0.65536", "08.0.0.1", "0x", "0x.0x.0x.0x", "-127.0.0.1", "+127.0.0.1", "*.0.0.1",
	"\u0663.0.0.1",
	/* encoded characters that are not valid in a host, or encoded twice */
	"127.0.0.1%00", "127.0.0.1%00.hooks.example", "127.0.0.1%20", "%20127.0.0.1", "127.0.0.1%09", "127.0.0.1%0a",
	"127.0.0.1%2f", "127.0.0.1%23.hooks.example", "127.0.0.1%3a80", "%2531%2532%2537.0.0.1", "%5b::1%5d", "%5B::1]",
	/* brackets with other contents, or an IPv6 address without them */
	"[00000::1]", "[::ffff:127.1]", "[::ffff:0x7f.0.0.1]", "[::ffff:0177.0.0.1]", "[%3a%3a1]", "[::\uff11]", "::1",
	"[127.0.0.1]", "[127.1]", "[v1.127.0.0.1]", "[::1", "[::1]x", "[::1].", "[]",
	/* user-info */
	"ann@127.0.0.1", "@127.0.0.1", ":@127.0.0.1", "ann:word@127.0.0.1", "hooks.example@127.0.0.1",
	"hooks.example:80@127.0.0.1", "hooks.example@@127.0.0.1", "127.0.0.1@hooks.example", "127.0.0.1&@hooks.example",
	"[::1]@hooks.example", "hooks.example%40127.0.0.1",
	/* what other parsers mistake for the end of the host */
	"hooks.example\\@127.0.0.1", "127.0.0.1\\@hooks.example", "127.0.0.1\\.hooks.example", "\\127.0.0.1", "/127.0.0.1",
	"//127.0.0.1", "127.0.0.1;hooks.example", "127.0.0.1,hooks.example", "127.0.0.1 hooks.example",
	"127.0.0.1\thooks.example", "127.0.0.1\r\nhooks.example", "127.0.0.1\xc2\x85.hooks.example",
	/* ports */
	"127.0.0.1:80", "127.0.0.1:+80", "127.0.0.1:"
};

/* They contain an address, but are names; their addresses are checked after resolution. */
static const char *const names[] = { "127.0.0.1e0", "127.0.0.1.hooks.example", "0x7f000001.hooks.example", "127-0-0-1",
	"1.0.0.127.in-addr.arpa", "hooks.example#@127.0.0.1", "hooks.example/@127.0.0.1", "hooks.example?@127.0.0.1",
	"127.0.0.0x7g" };

static const char *
url_of(const char *authority)
{
	return pool_string(pool, pool_printf(pool, "http://%s:%d/status/200", authority, port));
}

/* The URL as typed, without a check at registration: only libcurl and the C library parse it. */
static void
expect_typed_is_refused(const char *url)
{
	enum sender_error error = dial(url);
	if (error != SENDER_FORBIDDEN_ADDRESS && error != SENDER_INVALID_URL && error != SENDER_NOT_RESOLVED)
		fail_msg("%s: %.*s", url, SLICE_ARGS(sender_error_name(error)));
}

/* Checks the result of registration, and of sending to the URL that the dispatcher uses for it. */
static void
expect(const char *const *authorities, size_t count, enum webhook_url_result registered, enum sender_error dialled)
{
	for (size_t i = 0; i < count; i++) {
		const char *url = url_of(authorities[i]);
		struct slice made;
		enum webhook_url_result result = webhook_url_judge(pool, slice_of(url), &rules);
		if (result != registered)
			fail_msg("%s: registered as %d, not %d", url, (int)result, (int)registered);
		expect_typed_is_refused(url);
		assert_int_equal(webhook_url_dial(pool, slice_of(url), &made), result != WEBHOOK_URL_INVALID);
		if (result == WEBHOOK_URL_INVALID)
			continue;
		enum sender_error error = dial(pool_string(pool, made));
		if (error != dialled)
			fail_msg("%s: %.*s, not %.*s", url, SLICE_ARGS(sender_error_name(error)),
			    SLICE_ARGS(sender_error_name(dialled)));
	}
	assert_int_equal(receiver_connections(), 0);
}

static void
forbidden_addresses_are_refused_in_any_spelling(void **state UNUSED)
{
	use_rules("");
	expect(of_127_0_0_1, ARRAY_SIZE(of_127_0_0_1), WEBHOOK_URL_FORBIDDEN, SENDER_FORBIDDEN_ADDRESS);
	expect(forbidden, ARRAY_SIZE(forbidden), WEBHOOK_URL_FORBIDDEN, SENDER_FORBIDDEN_ADDRESS);
}

static void
ambiguous_urls_are_invalid(void **state UNUSED)
{
	use_rules("");
	expect(invalid, ARRAY_SIZE(invalid), WEBHOOK_URL_INVALID, SENDER_INVALID_URL);
}

static void
names_with_addresses_are_names(void **state UNUSED)
{
	use_rules("");
	expect(names, ARRAY_SIZE(names), WEBHOOK_URL_OK, SENDER_NOT_RESOLVED);
}

/* As a control: these spellings do reach the receiver when loopback is allowed. */
static void
open_networks_are_reached_in_any_spelling(void **state UNUSED)
{
	use_rules("127.0.0.0/8");
	for (size_t i = 0; i < ARRAY_SIZE(of_127_0_0_1); i++) {
		const char *url = url_of(of_127_0_0_1[i]);
		struct slice made;
		assert_int_equal(webhook_url_judge(pool, slice_of(url), &rules), WEBHOOK_URL_OK);
		assert_true(webhook_url_dial(pool, slice_of(url), &made));
		assert_int_equal(dial(pool_string(pool, made)), SENDER_OK);
	}
	assert_int_equal(receiver_requests(), ARRAY_SIZE(of_127_0_0_1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forbidden_addresses_are_refused_in_any_spelling),
		cmocka_unit_test(ambiguous_urls_are_invalid),
		cmocka_unit_test(names_with_addresses_are_names),
		cmocka_unit_test(open_networks_are_reached_in_any_spelling),
	};
	return cmocka_run_group_tests_name("deliver/spellings", tests, set_up, tear_down);
}
