/* SPDX-License-Identifier: MIT
 * Lists of blocked domains and referrers match subdomains, but nothing else (docs/api.md 4.6). Modules: identity/domain. */
#include "unit.h"

#include "with_pool.h"

#include "identity/domain.h"
#include "identity/link.h"

static void
a_host_stands_for_its_subdomains(void **state)
{
	(void)state;
	struct host_list list;
	struct slice bad;
	assert_true(host_list_parse(
	    pool, SLICE("# throw-aways\nmail.example, *.Trash.example\n.bücher.example # books\n\n"), &list, &bad));
	assert_int_equal(list.count, 3);
	assert_true(host_list_contains(&list, SLICE("mail.example")));
	assert_true(host_list_contains(&list, SLICE("a.b.mail.example")));
	assert_true(host_list_contains(&list, SLICE("trash.example")));
	assert_true(host_list_contains(&list, SLICE("x.xn--bcher-kva.example")));
	assert_false(host_list_contains(&list, SLICE("gmail.example")));
	assert_false(host_list_contains(&list, SLICE("example")));
	assert_false(host_list_contains(&list, SLICE("mail.example.org")));
	assert_false(host_list_contains(&list, SLICE_NONE));
	assert_true(host_list_parse(pool, SLICE(""), &list, &bad));
	assert_false(host_list_contains(&list, SLICE("mail.example")));
}

static void
what_is_no_host_is_named(void **state)
{
	(void)state;
	struct host_list list;
	struct slice bad;
	assert_false(host_list_parse(pool, SLICE("mail.example\nnot_a host\n"), &list, &bad));
	assert_slice(bad, "not_a");
}

static void
a_list_as_text_says_the_same(void **state)
{
	(void)state;
	const struct slice text = SLICE("mail.example trash.example xn--bcher-kva.example");
	assert_true(host_list_text_contains(text, SLICE("mail.example")));
	assert_true(host_list_text_contains(text, SLICE("a.trash.example")));
	assert_true(host_list_text_contains(text, SLICE("a.xn--bcher-kva.example")));
	assert_false(host_list_text_contains(text, SLICE("gmail.example")));
	assert_false(host_list_text_contains(text, SLICE("example")));
	assert_false(host_list_text_contains(text, SLICE_NONE));
	assert_false(host_list_text_contains(SLICE_NONE, SLICE("mail.example")));
}

/* leadhook(1), blocked_email_domains: lists are stored in a form that is read without conversions. */
static void
a_list_is_stored_in_order(void **state)
{
	(void)state;
	struct host_list list;
	struct slice bad;
	assert_true(
	    host_list_parse(pool, SLICE("mail.example *.Bücher.example,a.example MAIL.example .a.example"), &list, &bad));
	assert_slice(host_list_text(pool, &list), "a.example mail.example xn--bcher-kva.example");
	assert_true(host_list_parse(pool, SLICE(" , "), &list, &bad));
	assert_slice(host_list_text(pool, &list), "");
}

static void
a_stored_list_is_read(void **state)
{
	(void)state;
	struct host_list list;
	host_list_read(pool, SLICE("mail.example xn--bcher-kva.example"), &list);
	assert_int_equal(list.count, 2);
	assert_true(host_list_contains(&list, SLICE("a.mail.example")));
	assert_true(host_list_contains(&list, SLICE("xn--bcher-kva.example")));
	host_list_read(pool, SLICE_NONE, &list);
	assert_int_equal(list.count, 0);
}

static void
the_host_of_a_link(void **state)
{
	(void)state;
	assert_slice(link_host(pool, SLICE("https://User@Shop.Example:8443/a?b#c")), "shop.example");
	assert_slice(link_host(pool, SLICE("HTTP://bücher.example.")), "xn--bcher-kva.example");
	assert_slice(link_host(pool, SLICE("https://shop.example\\@evil.example/")), "shop.example");
	assert_slice(link_host(pool, SLICE("https://shop.example?x=https://evil.example")), "shop.example");
	assert_slice(link_host(pool, SLICE("shop.example/a")), "shop.example");
	assert_slice(link_host(pool, SLICE("//shop.example")), "shop.example");
	assert_false(slice_present(link_host(pool, SLICE("/a/b"))));
	assert_false(slice_present(link_host(pool, SLICE("android-app://com.example"))));
	assert_false(slice_present(link_host(pool, SLICE("https://"))));
	assert_false(slice_present(link_host(pool, SLICE_NONE)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_host_stands_for_its_subdomains, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_host_is_named, begin, end),
		cmocka_unit_test_setup_teardown(a_list_as_text_says_the_same, begin, end),
		cmocka_unit_test_setup_teardown(a_list_is_stored_in_order, begin, end),
		cmocka_unit_test_setup_teardown(a_stored_list_is_read, begin, end),
		cmocka_unit_test_setup_teardown(the_host_of_a_link, begin, end),
	};
	return cmocka_run_group_tests_name("identity/host_list", tests, NULL, NULL);
}
