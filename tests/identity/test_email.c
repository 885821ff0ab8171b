/* SPDX-License-Identifier: MIT
 * Email addresses and domains (docs/api.md 4.2). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "identity/domain.h"
#include "identity/email.h"

#define TEN "abcdefghij"
#define SIXTY TEN TEN TEN TEN TEN TEN

static void
expect(const char *typed, const char *display, const char *key)
{
	struct email email = { 0 }, again = { 0 };
	if (!email_parse(pool, slice_of(typed), &email))
		fail_msg("refused: %s", typed);
	if (!slice_equal(email.key, slice_of(key)))
		fail_msg("%s: key is %.*s, not %s", typed, SLICE_ARGS(email.key), key);
	assert_slice(email.display, display);
	/* parsing the stored address again changes nothing, and the key of a key is the key itself */
	assert_true(email_parse(pool, email.display, &again));
	assert_slices_equal(again.display, email.display);
	assert_slices_equal(again.key, email.key);
	assert_true(email_parse(pool, email.key, &again));
	assert_slices_equal(again.key, email.key);
}

static void
expect_key(const char *typed, const char *key)
{
	expect(typed, typed, key);
}

static void
expect_nora(const char *typed)
{
	expect(typed, "nora@example.org", "nora@example.org");
}

static void
expect_refused(const char *typed)
{
	struct email email = { .key = SLICE("untouched") };
	if (email_parse(pool, slice_of(typed), &email))
		fail_msg("taken: %s as %.*s", typed, SLICE_ARGS(email.key));
	assert_slice(email.key, "untouched");
}

/* "as typed for display; identity key = local part (NFC, ASCII letters lower-cased) + '@' + lower-case A-label domain" */
static void
spellings_of_one_address_share_a_key(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "ann@mail.example", "ann@mail.example" },
		{ "Ann.LEE@Mail.EXAMPLE", "ann.lee@mail.example" },
		{ "a@b.co", "a@b.co" },
		{ "a@localhost.localdomain", "a@localhost.localdomain" },
		/* neither dots nor plus tags are folded */
		{ "a.n.n+news@mail.example", "a.n.n+news@mail.example" },
		{ "!#$%&'*+/=?^_`{|}~-@mail.example", "!#$%&'*+/=?^_`{|}~-@mail.example" },
		{ "-@mail.example", "-@mail.example" },
		{ "1@1.example", "1@1.example" },
		{ "a@1-2.e1", "a@1-2.e1" },
		{ "a@r3---sn.example", "a@r3---sn.example" },
		/* UTF-8: the composed and the decomposed spelling are one person */
		{ "jos\xc3\xa9@mail.example", "jos\xc3\xa9@mail.example" },
		{ "JOSe\xcc\x81@mail.example", "jos\xc3\xa9@mail.example" },
		/* only ASCII letters lose their case */
		{ "JOS\xc3\x89@mail.example", "jos\xc3\x89@mail.example" },
		{ "\xe7\x94\xb0\xe4\xb8\xad@mail.example", "\xe7\x94\xb0\xe4\xb8\xad@mail.example" },
		/* IDNA2008, mapped, non-transitional */
		{ "a@b\xc3\xbc"
		  "cher.example",
		    "a@xn--bcher-kva.example" },
		{ "a@B\xc3\x9c"
		  "CHER.Example",
		    "a@xn--bcher-kva.example" },
		{ "a@bu\xcc\x88"
		  "cher.example",
		    "a@xn--bcher-kva.example" },
		{ "a@XN--BCHER-KVA.example", "a@xn--bcher-kva.example" },
		{ "a@fa\xc3\x9f.example", "a@xn--fa-hia.example" },
		{ "a@\xd0\xbf\xd1\x80\xd0\xb8\xd0\xbc\xd0\xb5\xd1\x80.\xd1\x80\xd1\x84", "a@xn--e1afmkfd.xn--p1ai" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_key(cases[i][0], cases[i][1]);
}

static void
what_mail_servers_refuse_is_refused(void **state UNUSED)
{
	static const char *const cases[] = { "", "@", "a", "a@", "@mail.example", "mail.example", "a@@mail.example",
		"a@b@mail.example",
		/* dots: leading, trailing, double; in the domain at least one */
		".a@mail.example", "a.@mail.example", "a..b@mail.example", ".@mail.example", "a@mail", "a@.mail.example",
		"a@mail..example", "a@mail.", "a@.",
		/* no white space, quotes, literals or lists; no name beside an address without brackets */
		"a b@mail.example", "a@mail .example", "a@mail.example\r\nBcc: b@mail.example", "a(note)@mail.example",
		"(note)a@mail.example", "\"a\"@mail.example", "\"a b\"@mail.example", "a\\b@mail.example", "a@[192.0.2.1]",
		"a@[IPv6:2001:db8::1]", "a,b@mail.example", "a@mail.example,b@mail.example", "a@mail.example b@mail.example",
		"a@mail.example; b@mail.example", "Ann <a@mail.example>, Bob <b@mail.example>",
		"b@mail.example <a@mail.example>", "mailto:a@mail.example,b@mail.example", "a;b@mail.example",
		"a:b@mail.example", "a<b@mail.example", "Ann <a@mail.example", "Ann Lee a@mail.example", "a@mail.example Ann",
		"a@mail.example?subject=x", "<>", "mailto:", "Ann <>", "\"a@mail\".example",
		"((((((((((a@mail.example(b)(c)(d)(e)(f)(g)", "mailto:a%0Ab@mail.example", "a@mail.example/x",
		/* labels: hyphens at an end, other characters; a number as the last label */
		"a@-mail.example", "a@mail-.example", "a@mail.-example", "a@mail.example-", "a@ma_il.example",
		"a@ma!il.example", "a@*.example", "a@192.0.2.1", "a@mail.123", "a@mail.0", "a@%6dail.example",
		/* names that are not valid in IDNA2008: symbols, broken A-labels */
		"a@\xe2\x98\x83.example", "a@\xf0\x9f\x98\x80.example", "a@xn--n3h.example", "a@xn--a.example",
		"a@xn--.example", "a@b_\xc3\xbc.example", "a@\xc3\xbc..example", "a@.\xc3\xbc.example", "a@\xc3\xbc.12",
		/* full-width digits */
		"a@\xef\xbc\x91\xef\xbc\x92.\xef\xbc\x91",
		/* a Greek question mark is a semicolon after NFC */
		"a\xcd\xbe"
		"b@mail.example",
		/* white space, private use, non-character: on both sides */
		"a\xc2\xa0"
		"b@mail.example",
		"a\xee\x80\x80@mail.example", "a\xf3\xb0\x80\x80@mail.example", "a\xef\xbf\xbe@mail.example",
		"a\xef\xb7\x90@mail.example", "a@m\xc2\xa0.example", "a@m\xee\x80\x80.example",
		/* nothing is left of the local part */
		"\xe2\x80\x8b@mail.example", "\x7f\xc2\xad@mail.example",
		/* not UTF-8: alone, overlong, surrogate, cut off */
		"a\xff@mail.example", "a\xc0\xae@mail.example", "a\xed\xa0\x80@mail.example", "a\xc3@mail.example",
		"a@\xfc.example" };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_refused(cases[i]);
	struct email email;
	assert_false(email_parse(pool, SLICE_NONE, &email));
}

/* "What nobody can see … makes no difference" */
static void
invisible_characters_make_no_difference(void **state UNUSED)
{
	static const char *const invisible[] = { "\xe2\x80\x8b", "\xe2\x80\x8c", "\xe2\x80\x8d", "\xe2\x81\xa0", "\xef\xbb\xbf",
		"\xc2\xad", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xac", "\xe2\x80\xae", "\xe2\x81\xa6",
		"\xe2\x81\xa9", "\xd8\x9c", "\xe2\x81\xa3", "\xef\xb8\x8f", "\xf3\xa0\x84\x80", "\xf3\xa0\x81\xa1", "\xcd\x8f",
		"\xe1\xa0\x8e", "\xe1\x85\x9f", "\xe3\x85\xa4", "\xef\xbe\xa0", "\xef\xbf\xb9", "\xef\xbf\xbc", "\x01", "\x1b",
		"\x7f", "\xc2\x80", "\xc2\x9f" };
	static const char *const spaces[] = { " ", "\t", "\r\n", "\v", "\f", "\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80",
		"\xe2\x80\x82", "\xe2\x80\x89", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
		"\xe2\xa0\x80" };
	for (size_t i = 0; i < ARRAY_SIZE(invisible); i++)
		for (size_t at = 0; at <= strlen("nora@example.org"); at++)
			expect_nora(
			    pool_printf(pool, "%.*s%s%s", (int)at, "nora@example.org", invisible[i], &"nora@example.org"[at])
				.data);
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
		expect_nora(pool_printf(pool, "%snora@example.org%s%s", spaces[i], invisible[i], spaces[i]).data);
		expect_refused(pool_printf(pool, "no%sra@example.org", spaces[i]).data);
	}
	struct email email;
	assert_true(email_parse(pool, SLICE("\0a\0b@m\0\xc3\xbc.example\0"), &email));
	assert_slice(email.key, "ab@xn--m-eha.example");
}

/* RFC 5892 A.1 and A.2: the joiners change how Indic and Arabic letters look */
static void
joiners_stay_where_they_have_a_meaning(void **state UNUSED)
{
	/* ka, virama, a joiner, ssa; beh, the non-joiner, beh: two local parts each, and domains of IDNA 2008 */
	expect_key("\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7@mail.example",
	    "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7@mail.example");
	expect_key("\xd8\xa8\xe2\x80\x8c\xd8\xa8@mail.example", "\xd8\xa8\xe2\x80\x8c\xd8\xa8@mail.example");
	expect_key("a@\xd8\xa8\xe2\x80\x8c\xd8\xa8.example", "a@xn--ngba799q.example");
	/* a joiner twice, after a letter that does not join, at the end, and of the other kind */
	expect("\xd8\xa8\xe2\x80\x8c\xe2\x80\x8c\xd8\xa8@mail.example", "\xd8\xa8\xe2\x80\x8c\xd8\xa8@mail.example",
	    "\xd8\xa8\xe2\x80\x8c\xd8\xa8@mail.example");
	expect("\xd8\xaf\xe2\x80\x8c\xd8\xa8@mail.example", "\xd8\xaf\xd8\xa8@mail.example", "\xd8\xaf\xd8\xa8@mail.example");
	expect("\xd8\xa8\xd8\xa8\xe2\x80\x8c@mail.example", "\xd8\xa8\xd8\xa8@mail.example", "\xd8\xa8\xd8\xa8@mail.example");
	expect("\xd8\xa8\xe2\x80\x8d\xd8\xa8@mail.example", "\xd8\xa8\xd8\xa8@mail.example", "\xd8\xa8\xd8\xa8@mail.example");
	/* a space ends the context */
	expect("\xd8\xa8\xe2\x80\x8c\t\xd8\xa8 <nora@example.org>", "nora@example.org", "nora@example.org");
}

/* "What surrounds an email address": what mail programs, signatures, lists and profiles write around it */
static void
labels_and_signs_stand_beside_addresses(void **state UNUSED)
{
	static const char *const cases[] = { "Correo: nora@example.org", "Email : nora@example.org",
		"E-Mail-Adresse: nora@example.org", "Courriel\xc2\xa0: nora@example.org", "From: Nora Berg <nora@example.org>",
		"EMAIL;TYPE=INTERNET:nora@example.org", "\xe3\x83\xa1\xe3\x83\xbc\xe3\x83\xab\xef\xbc\x9anora@example.org",
		"\xf0\x9f\x93\xa7nora@example.org", "\xe2\x9c\x89\xef\xb8\x8f nora@example.org",
		"nora@example.org \xf0\x9f\x98\x80", "\xe2\x80\xa2 nora@example.org", "- nora@example.org",
		"> nora@example.org", "nora@example.org \xe2\x80\x93", "nora%40example.org",
		"nora@example.org nora@example.org", "nora@example.orgnora@example.org", "nora@example.org; NORA@example.org",
		"nora@example.org / nora@example.org", "nora@example.org\nnora@example.org" };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct email email = { 0 };
		if (!email_parse(pool, slice_of(cases[i]), &email) || !slice_equal(email.key, SLICE("nora@example.org")))
			fail_msg("%s: %.*s", cases[i], SLICE_ARGS(email.key));
	}
	expect_refused("nora:berg@example.org");
	expect_refused("nora berg@example.org");
	expect_refused("nora\xf0\x9f\x98\x80"
		       "berg@example.org");
	expect_refused("\xf0\x9f\x98\x80@example.org");
	expect_refused("nora@example.orgdora@example.org");
	expect_refused("nora%40example.org nora%40example.com");
	expect_key("a%40b@example.org", "a%40b@example.org");
}

/* East Asian input methods, word processors and PDF files write ASCII characters in other forms */
static void
other_forms_of_characters_make_no_difference(void **state UNUSED)
{
	expect_nora("\xef\xbd\x8e\xef\xbd\x8f\xef\xbd\x92\xef\xbd\x81\xef\xbc\xa0"
		    "example\xef\xbc\x8e\xef\xbd\x8f\xef\xbd\x92\xef\xbd\x87");
	expect_nora("nora\xef\xb9\xab"
		    "example\xe3\x80\x82org");
	expect_nora("nora@example\xef\xbd\xa1org");
	expect_nora("\xf0\x9d\x93\xb7\xf0\x9d\x93\xb8ra@example.org");
	expect("o\xe2\x80\x99hara@example.org", "o'hara@example.org", "o'hara@example.org");
	expect("ada\xe2\x80\x91k@ex\xe2\x80\x90"
	       "ample.org",
	    "ada-k@ex-ample.org", "ada-k@ex-ample.org");
	expect("\xef\xac\x81nance@e\xef\xac\x80.example", "finance@eff.example", "finance@eff.example");
	expect("\xe2\x84\xaa"
	       "7\xe2\x91\xa0@mail.example",
	    "K71@mail.example", "k71@mail.example");
	expect("a@mail\xe3\x80\x82"
	       "example",
	    "a@mail.example", "a@mail.example");
	expect_refused("nora\xe2\x91\xb4@example.org");
}

/* "Emails also lose their surroundings" */
static void
surroundings_are_taken_away(void **state UNUSED)
{
	static const char *const cases[] = { "mailto:nora@example.org", "MAILTO:nora@example.org?subject=Hello%20you&body=a@b",
		"mailto://nora@example.org", "mailto:%6Eora%40example.org", "<mailto:nora@example.org>",
		"Email: nora@example.org", "SMTP:nora@example.org", "<nora@example.org>", "Nora <nora@example.org>",
		"Nora Berg<nora@example.org>", "\"Berg, Nora\" <nora@example.org>", "Berg, Nora (Sales) <nora@example.org>;",
		"nora@example.org (Nora Berg)", "nora@example.org(Nora)", "Nora (nora@example.org)",
		"Nora <nora@example.org> (work)", "Nora [nora@example.org]", "nora@example.org,", "nora@example.org ;",
		"nora @example.org", "nora@ example.org", "Nora <nora @ example.org>", "nora@example.org.", "nora@example.org>",
		"<nora@example.org", ", nora@example.org", "\"nora@example.org\"", "'nora@example.org'", "'nora@example.org",
		"\xe2\x80\x9cnora@example.org\xe2\x80\x9d", "\xe2\x80\x9enora@example.org\xe2\x80\x9c,",
		"\xc2\xabnora@example.org\xc2\xbb", "\xe2\x80\x98nora@example.org\xe2\x80\x99",
		"\xe3\x80\x8cnora@example.org\xe3\x80\x8d", "Nora \"nora@example.org\"",
		"\xef\xbc\x9cnora@example.org\xef\xbc\x9e", "nora@example.org <mailto:nora@example.org>",
		"Nora@Example.org <nora@example.org>", "[nora@example.org](mailto:nora@example.org)", "*nora@example.org*",
		"**nora@example.org**,", "_nora@example.org_", "~~nora@example.org~~", "```nora@example.org```",
		"nora@example.org*", "{nora@example.org}", "*Nora <nora@example.org>*", "*<nora@example.org>*",
		"nora@example.org?", "nora@example.org、", "nora@example.org。", "nora@example.org،", "nora@example.org؛",
		"nora@example.org।", "nora@example.org·", "nora@example.org։ ", "nora@example.org؟" };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_nora(cases[i]);
	expect("mailto:nora%2Bnews@example.org", "nora+news@example.org", "nora+news@example.org");
	expect("_nora@example.org", "_nora@example.org", "_nora@example.org");
	expect("nora%2Bnews@example.org", "nora%2Bnews@example.org", "nora%2bnews@example.org");
	assert_slice(email_fault(SLICE("a@mail.example, b@mail.example")), "Email is not valid: it has more than one @");
	assert_slice(email_fault(SLICE("a")), "Email is not valid");
	assert_slice(email_fault(SLICE("a@")), "Email is not valid");
}

/* RFC 5321 4.5.3.1: at most 64 octets for the local part, 63 for a label, 253 for the domain and 254 in all, after NFC and in
 * A-labels. */
static void
lengths_count_octets_of_the_key(void **state UNUSED)
{
	expect_key(SIXTY "1234@mail.example", SIXTY "1234@mail.example");
	expect_refused(SIXTY "12345@mail.example");
	expect_key("a@" SIXTY "123.example", "a@" SIXTY "123.example");
	expect_refused("a@" SIXTY "1234.example");
	/* lengths: 60 + 1 + 60 + 1 + 60 + 1 + 61 = 244 for the domain, which leaves 9 for the local part */
	expect_key("123456789@" SIXTY "." SIXTY "." SIXTY "." SIXTY "z", "123456789@" SIXTY "." SIXTY "." SIXTY "." SIXTY "z");
	expect_refused("1234567890@" SIXTY "." SIXTY "." SIXTY "." SIXTY "z");
	expect_refused("a@" SIXTY "." SIXTY "." SIXTY "." SIXTY "." TEN);
	/* Octets: 62 + 2 and 62 + 3 as typed: "e" and a combining acute, one letter of two octets in NFC */
	expect_key(SIXTY "12e\xcc\x81@mail.example", SIXTY "12\xc3\xa9@mail.example");
	expect_refused(SIXTY "123\xc3\xa9@mail.example");
	/* Letters: 56 and one ü fit as typed, but not as an A-label ("xn--" and "-" and a tail) */
	expect_refused("a@" SIXTY "\xc3\xbc.example");
}

#define LINEAR_B "\xf0\x90\x80\x80" /* U+10000: four bytes, and one more octet of its A-label */
#define SEVEN LINEAR_B LINEAR_B LINEAR_B LINEAR_B LINEAR_B LINEAR_B LINEAR_B
#define LABEL SEVEN SEVEN SEVEN SEVEN SEVEN SEVEN SEVEN SEVEN /* 224 bytes, 63 octets as an A-label */

/* The maximum for the displayed address is large enough for every address in U-labels. */
static void
an_address_for_display_has_a_maximum(void **state UNUSED)
{
	struct email email;
	assert_true(email_parse(
	    pool, SLICE("a@" LABEL "." LABEL "." LABEL "." SEVEN SEVEN SEVEN SEVEN SEVEN SEVEN SEVEN LINEAR_B ".ee"), &email));
	assert_int_equal(email.key.size, EMAIL_MAX);
	assert_in_range(email.display.size, 870, EMAIL_TYPED_MAX);
	/* soft hyphens do not count */
	char typed[3 * EMAIL_TYPED_MAX] = "a@m";
	size_t size = strlen(typed);
	for (; size < 2 * EMAIL_TYPED_MAX; size += 2)
		memcpy(typed + size, "\xc2\xad", 2);
	strcpy(typed + size, "ail.example");
	expect(typed, "a@mail.example", "a@mail.example");
}

/* Host names in settings may be single labels; otherwise the same rules apply. */
static void
domains_become_a_labels(void **state UNUSED)
{
	struct slice ascii;
	assert_true(domain_to_ascii(pool, SLICE("Intranet"), &ascii));
	assert_slice(ascii, "intranet");
	assert_false(domain_to_ascii(pool, SLICE(""), &ascii));
	/* four labels of 60 with their dots and one of 9 are 253 octets */
	assert_true(domain_to_ascii(pool, SLICE(SIXTY "." SIXTY "." SIXTY "." SIXTY ".123456789"), &ascii));
	assert_false(domain_to_ascii(pool, SLICE(SIXTY "." SIXTY "." SIXTY "." SIXTY "." TEN), &ascii));
	assert_false(domain_to_ascii(pool, SLICE("mail.example."), &ascii));
}

static void
expect_mailbox(const char *typed, const char *mailbox)
{
	struct email email;
	assert_true(email_parse(pool, slice_of(typed), &email));
	assert_slice(email_mailbox(pool, email.key), mailbox);
}

static void
addresses_of_one_mailbox_are_counted_together(void **state UNUSED)
{
	expect_mailbox("Ada.Lovelace@example.org", "ada.lovelace@example.org");
	expect_mailbox("ada+a+b@EXAMPLE.org", "ada@example.org");
	expect_mailbox("+ada@example.org", "+ada@example.org");
	expect_mailbox("A.d.a+x@gmail.com", "ada@gmail.com");
	expect_mailbox("ada@googlemail.com", "ada@gmail.com");
	expect_mailbox("a.d.a@notgmail.com", "a.d.a@notgmail.com");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings_of_one_address_share_a_key),
		cmocka_unit_test(what_mail_servers_refuse_is_refused),
		cmocka_unit_test(lengths_count_octets_of_the_key),
		cmocka_unit_test(invisible_characters_make_no_difference),
		cmocka_unit_test(joiners_stay_where_they_have_a_meaning),
		cmocka_unit_test(labels_and_signs_stand_beside_addresses),
		cmocka_unit_test(other_forms_of_characters_make_no_difference),
		cmocka_unit_test(surroundings_are_taken_away),
		cmocka_unit_test(an_address_for_display_has_a_maximum),
		cmocka_unit_test(domains_become_a_labels),
		cmocka_unit_test(addresses_of_one_mailbox_are_counted_together),
	};
	return cmocka_run_group_tests_name("identity/email", tests, begin, end);
}
