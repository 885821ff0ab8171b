/* SPDX-License-Identifier: MIT
 * Phone numbers (docs/api.md 4.2). Cases for both builds, then cases for builds with libphonenumber only. */
#include "unit.h"
#include "with_pool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "identity/phone.h"

struct phone_case {
	const char *number, *country_code, *e164; /* NULL: refused */
};

static void
check(const struct phone_case *c)
{
	struct slice e164 = SLICE("untouched"), again;
	const char *code = c->country_code == NULL ? "none" : c->country_code;
	const char *expected = c->e164 == NULL ? "untouched" : c->e164;
	bool taken = phone_parse(pool, slice_of(c->number), slice_of(c->country_code), &e164);
	if (taken != (c->e164 != NULL) || !slice_equal(e164, slice_of(expected)))
		fail_msg("\"%s\" with \"%s\" is %.*s, not %s", c->number, code, SLICE_ARGS(e164), expected);
	if (!taken)
		return;
	/* the stored form parses to itself */
	assert_true(phone_parse(pool, e164, SLICE("1"), &again));
	assert_slices_equal(again, e164);
}

static void
numbers_become_e164(void **state UNUSED)
{
	static const struct phone_case cases[] = {
		{ "+16502530000", NULL, "+16502530000" },
		{ "+1 (650) 253-0000", NULL, "+16502530000" },
		{ " +1.650.253.0000 ", NULL, "+16502530000" },
		{ "(+44) 7911 123456", NULL, "+447911123456" },
		{ "+683 4000", NULL, "+6834000" },
		{ "+800 1234 5678", NULL, "+80012345678" },
		{ "+1 650 253 0000 (after 5pm)", NULL, "+16502530000" },
		{ "+1 650 253 0000 [2nd line]", NULL, "+16502530000" },
		{ "(650) 253-0000 (Mo-Fr 9-17)", "1", "+16502530000" },
		{ "+1 650 253 0000 （ab 17h）", NULL, "+16502530000" },
		{ "*+1 650 253 0000*", NULL, "+16502530000" },
		{ "`+1 650 253 0000`", NULL, "+16502530000" },
		{ "~650 253 0000~!", "1", "+16502530000" },
		{ "+1 650 (253 0000)", NULL, "+16502530000" },
		{ "6502530000", "1", "+16502530000" },
		{ "650-253-0000", "+1", "+16502530000" },
		{ "6502530000", " +1 ", "+16502530000" },
		{ "171 1234567", "49", "+491711234567" },
		{ "3570000", "1242", "+12423570000" },
		/* the number's own prefix takes precedence over `country_code` */
		{ "+447911123456", "49", "+447911123456" },
		{ "+447911123456", "DE", "+447911123456" },
		{ "+447911123456", "ZZ", "+447911123456" },
		{ "+447911123456", "United Kingdom", "+447911123456" },
		{ "+447911123456", "-1", "+447911123456" },
		{ "00 44 7911 123456", "England", "+447911123456" },
		/* as lists of countries show a country */
		{ "171 1234567", "Germany (+49)", "+491711234567" },
		{ "171 1234567", "DE +49", "+491711234567" },
		{ "3570000", "+1-242", "+12423570000" },
		{ "3570000", "Bahamas: 1 (242)", "+12423570000" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
}

static void
other_texts_are_refused(void **state UNUSED)
{
	static const struct phone_case cases[] = {
		{ "", NULL, NULL },
		{ "+", NULL, NULL },
		{ "", "49", NULL },
		{ "6502530000", "-1", NULL },
		{ "6502530000", "12345", NULL },
		{ "6502530000", NULL, NULL },
		{ "6502530000", "", NULL },
		{ "6502530000", "+", NULL },
		{ "6502530000", "USA", NULL },
		{ "6502530000", "ZZ", NULL },
		{ "6502530000", "U1", NULL },
		{ "1+6502530000", NULL, NULL },
		{ "+1 800 FLOWERS", NULL, NULL },
		{ "+16502530000 oder +16502530001", NULL, NULL },
		{ "+49 171 123456o", NULL, NULL },
		{ "o171 1234567", "49", NULL },
		{ "call me", "49", NULL },
		{ "+49 171 x 1234567", NULL, NULL },
		{ "+49 171 1234567 oder 0172 1234567", NULL, NULL },
		{ "+49 30 123456OO12", NULL, NULL },
		{ "+49 30 12345678 OO 12", NULL, NULL },
		{ "+49 30 12345678AB12", NULL, NULL },
		{ "x5", "49", NULL },
		{ "tel:+", "49", NULL },
		{ "+1,650,253,0000", NULL, NULL },
		{ "+1*6502530000", NULL, NULL },
		{ "0171 1234567;phone-context=+49", "1", NULL },
		{ "\xff+16502530000", NULL, NULL },
		{ "+0123456789", NULL, NULL },
		/* Between 7 and 15 digits in all */
		{ "+68340", NULL, NULL },
		{ "+491234", NULL, NULL },
		{ "+4917112345678901", NULL, NULL },
		{ "17112345678901", "49", NULL },
		{ "99999999999999999999999999999999999", "49", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
	struct slice e164;
	assert_false(phone_parse(pool, SLICE_NONE, SLICE("1"), &e164));
}

/* "Phone numbers as people write them" */
static void
numbers_are_read_as_people_write_them(void **state UNUSED)
{
	static const char *const cases[] = { "\xe2\x80\xad+49 171 1234567\xe2\x80\xac",
		"+49\xc2\xa0"
		"171\xc2\xa0"
		"1234567",
		"+49/171/1234567", "+49 \xe2\x80\x93 171 \xe2\x80\x93 12 34 567",
		"+49\xe2\x80\x91"
		"171\xe2\x88\x92"
		"1234567",
		"+49\xc2\xb7"
		"171\xc2\xb7"
		"1234567",
		"+49 [171] 1234567",
		"\xef\xbc\x8b\xef\xbc\x94\xef\xbc\x99\xef\xbc\x88"
		"171\xef\xbc\x89"
		"1234567",
		"+\xd9\xa4\xd9\xa9 \xd9\xa1\xd9\xa7\xd9\xa1 1234567", "+\xe0\xa5\xaa\xe0\xa5\xaf 171 1234567",
		"tel:+49-171-1234567", "TEL:+491711234567;ext=5", "Tel.: +49 171 1234567", "Tel. +49 171 1234567",
		"Mobil: +49 171 1234567", "mobile +49 171 1234567 (home)", "+49 171 1234567 privat", "++49 171 1234567",
		"whatsapp:+491711234567", "'+491711234567", "\xe2\x80\x99+491711234567", "=\"+491711234567\"",
		"\"+49 171 1234567\"", "<+491711234567>", "+49'171'1234567", "+49_171_1234567", "+491711234567.0",
		"+491711234567,00", "+49 171 1234567 ext. 5", "+49 171 1234567x5", "+49 171 1234567 #5",
		"+49 171 1234567 Durchwahl 12", "+49 171 1234567 (ext 12)", "+49 171 1234567, 5", "+49 171 1234567 Nst.: 123",
		"+49 171 1234567 \xd0\xb4\xd0\xbe\xd0\xb1. 5", "+49 171 1234567,", "+49 171 1234567 Apparat 9",
		"+49 171 1234567 dahili: 12", "+49 171 1234567 ab 18 Uhr", "+49 171 1234567 wewn. 5",
		"+49 171 1234567\xe8\xbd\xac"
		"123",
		"+49 171 1234567 (\xeb\x82\xb4\xec\x84\xa0 12)", "+49 171 1234567 <tel:+491711234567>",
		"\xf0\x9f\x93\x9e+49 171 1234567", "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa 0049 171 1234567",
		"+49 171 1234567 \xe2\x98\x8e", "TEL;TYPE=CELL,VOICE:+49 171 1234567", "`+491711234567", "0049 171 1234567",
		"00491711234567", "+0049 171 1234567", "(0049) 171 1234567", "+49 +49 171 1234567",
		"\xe2\x9e\x95"
		"49 171 1234567",
		"+49\xe3\x80\x80"
		"171\xe2\x80\x8b"
		"1234567",
		"+49\n171 1234567\t", "+49 (0) 171 1234567", "+49(0)1711234567", "0049 [0] 171 1234567" };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check(&(struct phone_case){ cases[i], NULL, "+491711234567" });
		check(&(struct phone_case){ cases[i], "1", "+491711234567" });
	}
	check(&(struct phone_case){ "171\xc2\xa0"
				    "1234567",
	    "\xe2\x80\x8e+49\xc2\xa0", "+491711234567" });
	check(&(struct phone_case){ "171 1234567", "0049", "+491711234567" });
	check(&(struct phone_case){ "171 1234567", "\xef\xbc\x94\xef\xbc\x99", "+491711234567" });
	struct slice e164;
	assert_true(phone_parse(pool, SLICE("\0+\0001\0006\0005\00002530000"), SLICE_NONE, &e164));
	assert_slice(e164, "+16502530000");
}

static void
expect_fault(const char *number, const char *country_code, enum phone_fault fault)
{
	struct slice e164 = SLICE("untouched");
	const enum phone_fault found = phone_read(pool, slice_of(number), slice_of(country_code), &e164);
	if (found != fault)
		fail_msg("\"%s\" with \"%s\": %d, %.*s", number, country_code == NULL ? "none" : country_code, found,
		    SLICE_ARGS(e164));
	assert_slice(e164, "untouched");
	assert_true(slice_starts_with(phone_fault_text(fault), SLICE("Phone number is not valid")));
}

static void
a_refused_number_has_a_reason(void **state UNUSED)
{
	expect_fault("4.91711E+11", "49", PHONE_ROUNDED);
	expect_fault("4,91711E+11", NULL, PHONE_ROUNDED);
	expect_fault("4.91711e11", "DE", PHONE_ROUNDED);
	expect_fault("1E+12", NULL, PHONE_ROUNDED);
	expect_fault("+1.65025E+10", NULL, PHONE_MALFORMED);
	expect_fault("0171 1234567", NULL, PHONE_WITHOUT_COUNTRY);
	expect_fault("491711234567", NULL, PHONE_WITHOUT_COUNTRY);
	expect_fault("16502530000", "", PHONE_WITHOUT_COUNTRY);
	expect_fault("a lot", "49", PHONE_MALFORMED);
	expect_fault("0171 1234567", "Germany", PHONE_WITHOUT_COUNTRY);
	expect_fault("6502530000", "USA", PHONE_WITHOUT_COUNTRY);
	expect_fault("a lot", "nonsense", PHONE_MALFORMED);
}

/* docs/api.md 4.2: what forms fill in before a person types */
static void
a_calling_code_alone_is_blank(void **state UNUSED)
{
	static const struct {
		const char *number, *country_code;
		bool blank;
	} cases[] = {
		{ "", NULL, true },
		{ " -.()", NULL, true },
		{ "+", "nonsense", true },
		{ "(+49) ", NULL, true },
		{ "+ 4-9", "1", true },
		{ "1", "1", true },
		{ "(1)", " +1 ", true },
		{ "+1242", "1242", true },
		{ "1", NULL, false },
		{ "1", "49", false },
		{ "1", "-1", false },
		{ "+0", NULL, false },
		{ "+1242", NULL, false },
		{ "+49\xc2\xa0", NULL, true },
		{ "tel:", NULL, true },
		{ "tel:+49", NULL, true },
		{ "\xe2\x80\x8b", NULL, true },
		{ "\xef\xbb\xbf\xe2\x80\xad", "49", true },
		{ "\xef\xbc\x8b\xef\xbc\x94\xef\xbc\x99", NULL, true },
		{ "0049", "49", false },
		{ "'", NULL, true },
		{ "\xe2\x80\x93", "49", true },
		{ "++49", NULL, true },
		{ "+49x", NULL, false },
		{ "+18446744073709551665", NULL, false },
		{ "+16502530000", NULL, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (phone_is_blank(pool, slice_of(cases[i].number), slice_of(cases[i].country_code)) != cases[i].blank)
			fail_msg("\"%s\"", cases[i].number);
}

#ifdef WITH_LIBPHONENUMBER
/* "The international prefix that is dialled in the country" */
static void
each_country_has_its_prefixes(void **state UNUSED)
{
	static const struct phone_case cases[] = {
		{ "0049 171 1234567", "DE", "+491711234567" },
		{ "0033 1 42 68 53 00", "DE", "+33142685300" },
		{ "011 49 171 1234567", "US", "+491711234567" },
		{ "011 49 171 1234567", "1", "+491711234567" },
		{ "011 49 171 1234567", "1242", "+491711234567" },
		{ "0011 49 171 1234567", "AU", "+491711234567" },
		{ "8 10 49 171 1234567", "RU", "+491711234567" },
		{ "010 49 171 1234567", "JP", "+491711234567" },
		{ "810 49 171 1234567", "7", "+491711234567" },
		/* Europeans abroad */
		{ "0049 171 1234567", "US", "+491711234567" },
		{ "0049 171 1234567", "AU", "+491711234567" },
		{ "0049 171 1234567", "BR", "+491711234567" },
		{ "011 49 171 1234567", NULL, NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
}

/* "A calling code without + beside a country" */
static void
a_calling_code_needs_no_plus_beside_its_country(void **state UNUSED)
{
	static const struct phone_case cases[] = {
		{ "491711234567", "DE", "+491711234567" },
		{ "491711234567", "49", "+491711234567" },
		{ "49 171 1234567", "+49", "+491711234567" },
		{ "491711234567.0", "DE", "+491711234567" },
		{ "49(0)1711234567", "DE", "+491711234567" },
		{ "447911123456", "GB", "+447911123456" },
		{ "33612345678", "FR", "+33612345678" },
		{ "79123456789", "RU", "+79123456789" },
		{ "393471234567", "IT", "+393471234567" },
		{ "34612345678", "ES", "+34612345678" },
		{ "919876543210", "IN", "+919876543210" },
		{ "16502530000", "US", "+16502530000" },
		{ "12423570000", "1242", "+12423570000" },
		/* plain national numbers of countries without a trunk prefix, or whose other reading is not a number */
		{ "3931234567", "IT", "+393931234567" },
		{ "9123456789", "IN", "+919123456789" },
		{ "483123456", "PL", "+48483123456" },
		{ "65123456", "SG", "+6565123456" },
		{ "47123456", "NO", "+4747123456" },
		{ "5532221234", "BR", "+555532221234" },
		{ "4155552671", "US", "+14155552671" },
		/* with its trunk prefix, a number is not ambiguous */
		{ "04921 123456", "DE", "+494921123456" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
	/* Emden without its trunk prefix, or a number in Düsseldorf; Wolfsberg or Seefeld */
	expect_fault("4921123456", "DE", PHONE_AMBIGUOUS);
	expect_fault("435212345", "AT", PHONE_AMBIGUOUS);
}

/* "libphonenumber decides (parsed, 'possible number'; a national trunk prefix is dropped)" */
static void
national_rules_hold(void **state UNUSED)
{
	static const struct phone_case cases[] = {
		{ "7911 123456", "GB", "+447911123456" },
		{ "7911 123456", "gb", "+447911123456" },
		{ "7911 123456", "Je", "+447911123456" },
		/* calling codes that do not exist */
		{ "+999 1234567", NULL, NULL },
		{ "+210 1234567", NULL, NULL },
		{ "0171 1234567", "49", "+491711234567" },
		{ "0171 1234567", "DE", "+491711234567" },
		{ "+49 (0) 171 1234567", NULL, "+491711234567" },
		{ "07911 123456", "GB", "+447911123456" },
		{ "8 912 345-67-89", "RU", "+79123456789" },
		{ "1 650 253 0000", "us", "+16502530000" },
		{ "044 668 18 00", "CH", "+41446681800" },
		/* Italy keeps its zero */
		{ "02 3661 8300", "IT", "+390236618300" },
		/* possible, although no such number is assigned */
		{ "+1 555 555 5555", NULL, "+15555555555" },
		/* a trunk prefix too many, a carrier's prefix, and one that leaves too few digits */
		{ "+49 00 171 1234567", NULL, "+491711234567" },
		{ "+860126197208224", NULL, "+867208224" },
		{ "+49 0 1234", NULL, NULL },
		/* a zero that the country does not use, or no longer uses; with a carrier's prefix, longer than any number */
		{ "0 501 234 567", "PL", "+48501234567" },
		{ "+34 0612345678", NULL, "+34612345678" },
		{ "069 12345678", "GR", "+306912345678" },
		{ "+39 0347 1234567", NULL, "+393471234567" },
		{ "0 15 11 91234-5678", "BR", "+5511912345678" },
		{ "07911 123456", "UK", "+447911123456" },
		/* not a number without its area code */
		{ "555-0199", "US", NULL },
		/* too long or too short for the country */
		{ "+1 650 253 00000", NULL, NULL },
		{ "+1 650 253", NULL, NULL },
		{ "+33 1 23 45", NULL, NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
	expect_fault("+49 171 12345 / 030 1234567", NULL, PHONE_MALFORMED);
	expect_fault("030 12345 / 12346", "DE", PHONE_SEVERAL);
	expect_fault("+49 30 123456/030 65432", NULL, PHONE_SEVERAL);
	/* an extension after something that is not a number means that the number is mistyped */
	expect_fault("0171 123,4567", "DE", PHONE_MALFORMED);
	expect_fault("0171 123 x 4567", "DE", PHONE_MALFORMED);
	assert_true(phone_is_blank(pool, SLICE("49"), SLICE("DE")));
	assert_true(phone_is_blank(pool, SLICE("+420"), SLICE("DE")));
	assert_false(phone_is_blank(pool, SLICE("+491"), SLICE("49")));
	assert_false(phone_is_blank(pool, SLICE("+999"), SLICE_NONE));
}
#else
/* "Built without libphonenumber, the server checks only the form" */
static void
only_the_form_is_checked(void **state UNUSED)
{
	static const struct phone_case cases[] = {
		{ "0171 1234567", "49", "+4901711234567" },
		{ "+999 1234567", NULL, "+9991234567" },
		{ "+999 1234", NULL, "+9991234" },
		{ "+999 123", NULL, NULL },
		{ "+999 123456789012", NULL, "+999123456789012" },
		{ "+999 1234567890123", NULL, NULL },
		{ "0171 1234567", "", NULL },
		{ "+39 (0) 2 36618300", NULL, "+390236618300" },
		{ "171 1234567", "49", "+491711234567" },
		{ "49171123456789", "49", "+49171123456789" },
		/* country letters are not supported; the number's own prefix still takes precedence */
		{ "171 1234567", "DE", NULL },
		{ "+491711234567", "DE", "+491711234567" },
		{ "00491711234567", "DE", "+491711234567" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
	expect_fault("491711234567", "49", PHONE_AMBIGUOUS);
}
#endif

/* Standard output is reserved for answers and the results of commands. */
static void
nothing_is_printed(void **state UNUSED)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stdout);
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	struct slice e164;
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	phone_load();
	bool nonsense = phone_parse(pool, SLICE("+012 345 6789"), SLICE_NONE, &e164) ||
			phone_parse(pool, SLICE("1234567"), SLICE("XX"), &e164);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	assert_false(nonsense);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
	fclose(file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_printed),
		cmocka_unit_test(numbers_become_e164),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(numbers_are_read_as_people_write_them),
		cmocka_unit_test(a_refused_number_has_a_reason),
		cmocka_unit_test(a_calling_code_alone_is_blank),
#ifdef WITH_LIBPHONENUMBER
		cmocka_unit_test(each_country_has_its_prefixes),
		cmocka_unit_test(a_calling_code_needs_no_plus_beside_its_country),
		cmocka_unit_test(national_rules_hold),
#else
		cmocka_unit_test(only_the_form_is_checked),
#endif
	};
	return cmocka_run_group_tests_name("identity/phone", tests, begin, end);
}
