/* SPDX-License-Identifier: MIT
 * Phone numbers (docs/api.md 4.2). The cases of both builds, then those of libphonenumber alone. */
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
		{ "6502530000", "1", "+16502530000" },
		{ "650-253-0000", "+1", "+16502530000" },
		{ "6502530000", " +1 ", "+16502530000" },
		{ "171 1234567", "49", "+491711234567" },
		{ "3570000", "1242", "+12423570000" },
		/* the number's own prefix takes precedence over the other field */
		{ "+447911123456", "49", "+447911123456" },
		{ "+447911123456", "DE", "+447911123456" },
		{ "+447911123456", "ZZ", "+447911123456" },
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
		{ "3570000", "1-242", NULL },
		{ "6502530000", "++1", NULL },
		/* also where it is not used */
		{ "+447911123456", "nonsense", NULL },
		{ "+447911123456", "-1", NULL },
		{ "+447911123456", "12345", NULL },
		{ "6502530000", NULL, NULL },
		{ "6502530000", "", NULL },
		{ "6502530000", "+", NULL },
		{ "6502530000", "USA", NULL },
		{ "6502530000", "ZZ", NULL },
		{ "6502530000", "U1", NULL },
		{ "++16502530000", NULL, NULL },
		{ "1+6502530000", NULL, NULL },
		{ "+1/650/2530000", NULL, NULL },
		{ "+1 650 253 0000 x12", NULL, NULL },
		{ "+1 800 FLOWERS", NULL, NULL },
		{ "tel:+16502530000", NULL, NULL },
		{ "+1\xc2\xa0"
		  "6502530000",
		    NULL, NULL },
		{ "+\xd9\xa1\xd9\xa6\xd9\xa5\xd9\xa0\xd9\xa2\xd9\xa5\xd9\xa3\xd9\xa0\xd9\xa0\xd9\xa0\xd9\xa0", NULL, NULL },
		{ "+0123456789", NULL, NULL },
		/* 7 to 15 digits in all */
		{ "+68340", NULL, NULL },
		{ "+491234", NULL, NULL },
		{ "+4917112345678901", NULL, NULL },
		{ "17112345678901", "49", NULL },
		{ "99999999999999999999999999999999999", "49", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
	struct slice e164;
	assert_false(phone_parse(pool, SLICE("+1650253\0000"), SLICE_NONE, &e164));
	assert_false(phone_parse(pool, SLICE_NONE, SLICE("1"), &e164));
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
		{ "++49", NULL, false },
		{ "+49x", NULL, false },
		{ "+18446744073709551665", NULL, false },
		{ "+16502530000", NULL, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (phone_is_blank(pool, slice_of(cases[i].number), slice_of(cases[i].country_code)) != cases[i].blank)
			fail_msg("\"%s\"", cases[i].number);
}

#ifdef WITH_LIBPHONENUMBER
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
		/* too long or short for the country */
		{ "+1 650 253 00000", NULL, NULL },
		{ "+1 650 253", NULL, NULL },
		{ "+33 1 23 45", NULL, NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
	assert_true(phone_is_blank(pool, SLICE("49"), SLICE("DE")));
	assert_true(phone_is_blank(pool, SLICE("+420"), SLICE("DE")));
	assert_false(phone_is_blank(pool, SLICE("+491"), SLICE("49")));
	assert_false(phone_is_blank(pool, SLICE("+999"), SLICE_NONE));
}
#else
/* "Built without libphonenumber, the server checks the form alone" */
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
		/* country letters are not supported; the number's own prefix still takes precedence */
		{ "171 1234567", "DE", NULL },
		{ "+491711234567", "DE", "+491711234567" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&cases[i]);
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
		cmocka_unit_test(a_calling_code_alone_is_blank),
#ifdef WITH_LIBPHONENUMBER
		cmocka_unit_test(national_rules_hold),
#else
		cmocka_unit_test(only_the_form_is_checked),
#endif
	};
	return cmocka_run_group_tests_name("phone", tests, begin, end);
}
