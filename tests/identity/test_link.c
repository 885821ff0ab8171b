/* SPDX-License-Identifier: MIT
 * Links to which a page may send its visitors. */
#include "unit.h"

#include "base/attributes.h"
#include "identity/link.h"

static void
web_addresses_and_references_are_taken(void **state UNUSED)
{
	static const struct slice links[] = { SLICE("http://shop.example/"), SLICE("HTTPS://shop.example"),
		SLICE("https:shop.example"), SLICE("/thanks"), SLICE("//shop.example/"), SLICE("thanks"), SLICE("?a=b:c"),
		SLICE("#a:b"), SLICE("../a:b"), SLICE("a/b:c"), SLICE("1:2"), SLICE(":x"), SLICE("a b:c"), SLICE("\xc3\xa4:b"),
		SLICE("java\xe2\x80\x8bscript:alert(1)"), SLICE("\xc2\xa0javascript:alert(1)"), SLICE("java%0ascript:alert(1)"),
		SLICE(""), SLICE("a") };
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (!link_is_web(links[i]))
			fail_msg("refused: %s", links[i].data);
}

/* docs/api.md 4.4: C0, DEL and C1 are refused, even where browsers skip or encode them. */
static void
control_characters_are_refused(void **state UNUSED)
{
	static const struct slice links[] = { SLICE("h\nttp://shop.example/"), SLICE("https://shop.example/\ta"),
		SLICE("/thanks\nSet-Cookie: a=b"), SLICE("/thanks\r"), SLICE("\x01/thanks"), SLICE("/\0"), SLICE("/\x1f"),
		SLICE("/\x7f"), SLICE("/\xc2\x80"), SLICE("/\xc2\x9f") };
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (link_is_web(links[i]))
			fail_msg("taken: %zu", i);
}

/* Schemes are recognised as browsers do, after skipping leading blanks. */
static void
other_schemes_are_refused_in_any_spelling(void **state UNUSED)
{
	static const struct slice links[] = { SLICE("javascript:alert(1)"), SLICE("  javascript:alert(1)"),
		SLICE("JavaScript:alert(1)"), SLICE("java\nscript:alert(1)"), SLICE("j\ta\tv\tascript\n:alert(1)"),
		SLICE("javascript\r:alert(1)"), SLICE(" \t\njavascript:alert(1)"), SLICE("\x01\0 javascript:alert(1)"),
		SLICE("data:text/html,x"), SLICE("vbscript:x"), SLICE("blob:https://shop.example/x"),
		SLICE("mailto:a@mail.example"), SLICE("ftp://shop.example/"), SLICE("httpx://shop.example/"), SLICE("httpsx:"),
		SLICE("http+x:"), SLICE("htt:"), SLICE("a:"), SLICE("a1+-.:x"), SLICE("shop.example:8080/x"),
		SLICE("averylongschemeindeedlongerthananyother:x") };
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (link_is_web(links[i]))
			fail_msg("taken: %s", links[i].data);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(web_addresses_and_references_are_taken),
		cmocka_unit_test(control_characters_are_refused),
		cmocka_unit_test(other_schemes_are_refused_in_any_spelling),
	};
	return cmocka_run_group_tests_name("identity/link", tests, NULL, NULL);
}
