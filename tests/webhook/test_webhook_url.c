/* SPDX-License-Identifier: MIT
 * Destinations: at registration (docs/deliveries.md 1), and for connections. */
#include "unit.h"

#include <string.h>

#include "webhook/webhook_url.h"
#include "with_rules.h"

static void
expect(const char *const *urls, size_t count, enum webhook_url_result expected)
{
	for (size_t i = 0; i < count; i++) {
		enum webhook_url_result result = webhook_url_judge(pool, slice_of(urls[i]), &rules);
		if (result != expected)
			fail_msg("%s: %d, not %d", urls[i], (int)result, (int)expected);
	}
}

/* The URL to connect to has the host that was checked, and is in ASCII (RFC 3986). */
static void
good_urls_are_normalized(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "http://hooks.example/in", "http://hooks.example/in" },
		{ "https://hooks.example", "https://hooks.example/" },
		{ "HTTPS://Hooks.EXAMPLE:8443/In?a=b&c=d%20e#part", "https://hooks.example:8443/In?a=b&c=d%20e" },
		{ "https://hooks.example?x", "https://hooks.example/?x" },
		{ "https://hooks.example#x", "https://hooks.example/" },
		{ "https://hooks.example/?#x?y", "https://hooks.example/?" },
		{ "https://hooks.example:/", "https://hooks.example/" },
		{ "https://hooks.example:443/", "https://hooks.example:443/" },
		{ "https://hooks.example:65535/", "https://hooks.example:65535/" },
		{ "https://hooks.example./", "https://hooks.example/" },
		{ "http://my_receiver/", "http://my_receiver/" },
		{ "http://localhost:8080/", "http://localhost:8080/" },
		{ "http://1.hooks.example/", "http://1.hooks.example/" },
		{ "http://hooks.0xg/", "http://hooks.0xg/" },
		{ "http://8.8.8.8/", "http://8.8.8.8/" },
		{ "http://134744072/", "http://8.8.8.8/" },
		{ "http://0x8.010.2056/", "http://8.8.8.8/" },
		{ "http://0127.0.0.1/", "http://87.0.0.1/" },
		{ "http://[2606:4700::1111]/", "http://[2606:4700::1111]/" },
		{ "http://[2606:4700:0:0::1111]:8080/x", "http://[2606:4700::1111]:8080/x" },
		{ "http://[2606:4700::1111%25eth0]/", "http://[2606:4700::1111%25eth0]/" },
		{ "http://[2606:4700::1111%eth0]/", "http://[2606:4700::1111%25eth0]/" },
		{ "http://[2606:4700::1111%25]/", "http://[2606:4700::1111%2525]/" },
		{ "http://[::ffff:8.8.8.8]/", "http://8.8.8.8/" },
		{ "http://[::ffff:8.8.8.8%25eth0]/", "http://8.8.8.8/" },
		{ "http://h%6F%6Fks.example/", "http://hooks.example/" },
		/* non-ASCII characters: A-labels in the host, UTF-8 after it */
		{ "http://ex\xc3\xa4mple.org/", "http://xn--exmple-cua.org/" },
		{ "https://EX\xc3\x84MPLE\xe3\x80\x82org:8443", "https://xn--exmple-cua.org:8443/" },
		{ "http://ex%C3%A4mple.org/", "http://xn--exmple-cua.org/" },
		{ "http://\xef\xbc\x98.8\xe3\x80\x82"
		  "8.8/",
		    "http://8.8.8.8/" },
		{ "http://hooks.example/\xc3\xa4?\xc3\xb6=1#\xc3\xbc", "http://hooks.example/%C3%A4?%C3%B6=1" },
		{ "http://hooks.example/%c3%a4", "http://hooks.example/%c3%a4" },
		{ "http://hooks.example/100%?a=%zz&b=%", "http://hooks.example/100%25?a=%25zz&b=%25" },
		{ "http://hooks.example/-._~!$&'()*+,;=:@/?-._~!$&'()*+,;=:@/?",
		    "http://hooks.example/-._~!$&'()*+,;=:@/?-._~!$&'()*+,;=:@/?" },
		{ "http://hooks.example/\"<>[]^`{|}?a[]=\"",
		    "http://hooks.example/%22%3C%3E%5B%5D%5E%60%7B%7C%7D?a%5B%5D=%22" },
		/* an '@' belongs to user-info only before the path */
		{ "http://hooks.example/@ann", "http://hooks.example/@ann" },
		{ "http://hooks.example?@ann", "http://hooks.example/?@ann" },
		{ "http://hooks.example/http://127.0.0.1/", "http://hooks.example/http://127.0.0.1/" },
		{ "http://hooks.example//127.0.0.1/", "http://hooks.example//127.0.0.1/" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice dialled;
		if (webhook_url_judge(pool, slice_of(cases[i][0]), &rules) != WEBHOOK_URL_OK)
			fail_msg("refused: %s", cases[i][0]);
		assert_true(webhook_url_dial(pool, slice_of(cases[i][0]), &dialled));
		assert_slice(dialled, cases[i][1]);
		/* the normalized URL is valid too */
		assert_int_equal(webhook_url_judge(pool, dialled, &rules), WEBHOOK_URL_OK);
		assert_true(webhook_url_dial(pool, dialled, &dialled));
		assert_slice(dialled, cases[i][1]);
	}
}

static void
invalid_urls_are_refused(void **state UNUSED)
{
	static const char *const invalid[] = { "", "http", "http:", "http:/", "http://", "http:///x", "https://:443/",
		"http://?x", "http://.", "hooks.example", "//hooks.example/", "/in", "ftp://hooks.example/",
		"file:///etc/passwd", "gopher://hooks.example/", "javascript:alert(1)", "httpx://hooks.example/",
		"http:hooks.example", "http:/hooks.example", "http:\\\\hooks.example", " http://hooks.example/",
		/* user-info, including an empty one */
		"http://ann@hooks.example/", "http://ann:secret@hooks.example/", "http://@hooks.example/",
		"http://a@b@hooks.example/", "http://8.8.8.8:80@hooks.example/",
		/* white space, control characters, backslashes */
		"http://hooks.example/a b", "http://hooks .example/", "http://hooks.example/\t",
		"http://hooks.example/\r\nX: y", "http://hooks.example/\x01", "http://hooks.example/\x7f",
		"http://hooks.example/\xc2\x85", "http://hooks.example\\@x.example/", "http://hooks.example/\\",
		/* ports */
		"http://hooks.example:0/", "http://hooks.example:65536/", "http://hooks.example:-1/",
		"http://hooks.example:080/", "http://hooks.example:http/", "http://hooks.example:80:80/",
		"http://hooks.example:99999999999999999999/",
		/* hosts */
		"http://hooks..example/", "http://.hooks.example/", "http://hooks.example../", "http://hooks!.example/",
		"http://hooks.exam,ple/", "http://<hooks>.example/", "http://h%zzks.example/", "http://hooks.example%/",
		"http://hooks%2Eexample%2F/", "http://hooks%00.example/", "http://ann%40hooks.example/",
		"http://\xe2\x98\x83.example/", "http://%ff.example/",
		"http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example/",
		/* brackets without an IPv6 address */
		"http://[]/", "http://[::1/", "http://::1/", "http://[::1]x/", "http://[8.8.8.8]/", "http://[hooks.example]/",
		"http://[::g]/", "http://x[::1]/", "http://[::1]]/",
		/* not a zone id */
		"http://[::1%]/", "http://[::1%25lo/x]/", "http://[::1%25l@o]/", "http://[::1%abcdefghijklmnop]/",
		"http://[8.8.8.8%:]/", "http://[::1%25lo%25]/",
		/* ends in a number, but is not an address */
		"http://256.256.256.256/", "http://1.2.3.4.5/", "http://4294967296/", "http://08.1/", "http://0x100000000/",
		"http://hooks.1/", "http://hooks.0x1/", "http://1..2/", "http://0xg.1/" };
	expect(invalid, ARRAY_SIZE(invalid), WEBHOOK_URL_INVALID);
	assert_int_equal(webhook_url_judge(pool, SLICE("http://hooks.example/\0"), &rules), WEBHOOK_URL_INVALID);
	assert_int_equal(webhook_url_judge(pool, SLICE_NONE, &rules), WEBHOOK_URL_INVALID);
	for (size_t i = 0; i < ARRAY_SIZE(invalid); i++) {
		struct slice dialled = SLICE("untouched");
		assert_false(webhook_url_dial(pool, slice_of(invalid[i]), &dialled));
		assert_slice(dialled, "untouched");
	}
}

/* "any spelling that the resolver would accept" */
static void
forbidden_literals_are_refused_in_any_spelling(void **state UNUSED)
{
	static const char *const forbidden[] = { "http://127.0.0.1/", "https://127.0.0.1:8443/x", "http://127.0.0.1./",
		"http://127.1/", "http://127.0.1/", "http://127.65535/", "http://2130706433/", "http://0x7f000001/",
		"http://0X7F000001/", "http://0x7f.1/", "http://0x7f.0x0.0x0.0x1/", "http://017700000001/",
		"http://0177.0.0.01/", "http://0177.1/", "http://0/", "http://0.0/", "http://0x0/", "http://10.1/",
		"http://167772161/", "http://192.168.257/", "http://169.254.169.254/latest/meta-data", "http://2852039166/",
		"http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://100.64.0.1/", "http://255.255.255.255/",
		"http://4294967295/",
		/* percent-encoded, in other digits, with another dot */
		"http://%31%32%37.0.0.1/", "http://127%2E0%2E0%2E1/", "http://127.0.0.1%2E/", "http://0%78%37f.1/",
		"http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/",
		"http://127\xe3\x80\x82"
		"0\xe3\x80\x82"
		"0\xe3\x80\x82"
		"1/",
		"http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/", "http://%ef%bc%91%32%37.1/",
		/* IPv6 */
		"http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", "http://[0000::0001]:8080/", "http://[::]/",
		"http://[::ffff:127.0.0.1]/", "http://[::FFFF:7f00:1]/", "http://[0:0:0:0:0:ffff:169.254.169.254]/",
		"http://[::127.0.0.1]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/",
		"http://[::1%25lo]/", "http://[fd00::1]/", "http://[fec0::1]/", "http://[ff02::1]/",
		"http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[2001:0:808:808::80ff:fffe]/",
		"http://[2001:db8::1]/" };
	expect(forbidden, ARRAY_SIZE(forbidden), WEBHOOK_URL_FORBIDDEN);
}

static void
denied_ports_are_refused(void **state UNUSED)
{
	static const char *const forbidden[] = { "http://hooks.example:22/", "https://hooks.example:3306/",
		"http://8.8.8.8:25/", "http://[2606:4700::1111]:6379/" };
	expect(forbidden, ARRAY_SIZE(forbidden), WEBHOOK_URL_FORBIDDEN);
}

static void
open_networks_may_be_named(void **state UNUSED)
{
	struct address_rules open;
	struct slice bad;
	assert_true(address_rules_parse(pool, SLICE("127.0.0.0/8 ::1"), default_ports(), &open, &bad));
	assert_int_equal(webhook_url_judge(pool, SLICE("http://127.1:8081/"), &open), WEBHOOK_URL_OK);
	assert_int_equal(webhook_url_judge(pool, SLICE("http://[::1]:8081/"), &open), WEBHOOK_URL_OK);
	assert_int_equal(webhook_url_judge(pool, SLICE("http://10.0.0.1:8081/"), &open), WEBHOOK_URL_FORBIDDEN);
	assert_int_equal(webhook_url_judge(pool, SLICE("http://127.0.0.1:22/"), &open), WEBHOOK_URL_FORBIDDEN);
}

static void
a_url_has_2048_bytes_at_most(void **state UNUSED)
{
	char text[WEBHOOK_URL_MAX + 1] = "http://\xc3\xbc/";
	struct slice dialled;
	memset(text + strlen(text), '\xff', sizeof(text) - strlen(text)); /* each is percent-encoded to three bytes */
	assert_int_equal(webhook_url_judge(pool, (struct slice){ text, WEBHOOK_URL_MAX }, &rules), WEBHOOK_URL_OK);
	assert_int_equal(webhook_url_judge(pool, (struct slice){ text, WEBHOOK_URL_MAX + 1 }, &rules), WEBHOOK_URL_INVALID);
	assert_true(webhook_url_dial(pool, (struct slice){ text, WEBHOOK_URL_MAX }, &dialled));
	assert_int_equal(dialled.size, strlen("http://xn--tda/") + 3 * (WEBHOOK_URL_MAX - strlen("http://\xc3\xbc/")));
}

/* docs/deliveries.md 2, form: an item of form_urls anywhere in the URL, ignoring case */
static void
form_urls_are_recognized(void **state UNUSED)
{
	const struct slice hosts = SLICE("marketing.example, OTHER");
	assert_true(webhook_url_wants_form(SLICE("https://eu.Marketing.example/in"), hosts));
	assert_true(webhook_url_wants_form(SLICE("http://another:8080/in"), hosts));
	assert_true(webhook_url_wants_form(SLICE("https://hooks.example/Marketing.Example"), hosts));
	assert_true(webhook_url_wants_form(SLICE("https://hooks.example?other"), hosts));
	assert_false(webhook_url_wants_form(SLICE("https://hooks.example/marketing"), hosts));
	assert_false(webhook_url_wants_form(SLICE("https://other.example/"), SLICE("")));
}

/* docs/deliveries.md 3.3 */
static void
respelled_urls_are_known(void **state UNUSED)
{
	static const struct {
		const char *url, *location;
		bool same;
	} cases[] = {
		{ "http://shop.example/hook", "https://shop.example/hook", true },
		{ "http://shop.example/hook", "https://www.shop.example/hook/", true },
		{ "https://WWW.shop.example/hook/?a=1#x", "https://shop.example/hook?a=1", true },
		{ "http://shop.example:80/hook", "https://shop.example:443/hook", true },
		{ "http://shop.example", "https://shop.example/", true },
		{ "http://shop.example", "http://shop.example/", false },
		{ "https://shop.example/hook#top", "https://shop.example/hook", false },
		{ "http://shop.example?a=/", "https://shop.example/?a=/", true },
		{ "https://shop.example/hook", "https://shop.example/thanks", false },
		{ "https://shop.example/hook", "https://shop.example/hook?done=1", false },
		{ "https://shop.example/hook", "https://shop.example/Hook", false },
		{ "https://shop.example/hook", "https://other.example/hook", false },
		{ "https://shop.example:8443/hook", "https://shop.example/hook", false },
		{ "https://shop.example/hook", "", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(webhook_url_is_respelled(slice_of(cases[i].url), slice_of(cases[i].location)), cases[i].same);
	assert_false(webhook_url_is_respelled(SLICE("https://shop.example/hook"), SLICE_NONE));
	assert_false(webhook_url_is_respelled(SLICE_NONE, SLICE_NONE)); /* a URL that could not be opened */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_urls_are_normalized),
		cmocka_unit_test(invalid_urls_are_refused),
		cmocka_unit_test(forbidden_literals_are_refused_in_any_spelling),
		cmocka_unit_test(denied_ports_are_refused),
		cmocka_unit_test(open_networks_may_be_named),
		cmocka_unit_test(a_url_has_2048_bytes_at_most),
		cmocka_unit_test(form_urls_are_recognized),
		cmocka_unit_test(respelled_urls_are_known),
	};
	return cmocka_run_group_tests_name("webhook/webhook_url", tests, begin_with_rules, end);
}
