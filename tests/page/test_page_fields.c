/* SPDX-License-Identifier: MIT
 * docs/pages.md 2: the fields of a sign-up page, and what is accepted in them. */
#include "unit.h"

#include <string.h>

#include "base/attributes.h"
#include "page/page_fields.h"
#include "page/page_form.h"
#include "with_pool.h"

static struct page_fields
parsed(const char *text)
{
	struct page_fields fields;
	struct slice problem;
	if (!page_fields_parse(pool, slice_of(text), &fields, &problem))
		fail_msg("%s: %.*s", text, SLICE_ARGS(problem));
	return fields;
}

static void
fields_have_names_types_and_labels(void **state UNUSED)
{
	const struct page_fields fields = parsed(
	    " email: Work email ; first_name required\nplan select: Plan = Free | Pro ; ;\n age number required : Age: now;");
	assert_int_equal(fields.count, 4);
	assert_slice(fields.items[0].name, "email");
	assert_slice(fields.items[0].label, "Work email");
	assert_true(fields.items[0].required); /* the only identifier */
	assert_int_equal(fields.items[0].type, PAGE_FIELD_EMAIL);
	assert_slice(page_field_label(&fields.items[1], TEXT_LANGUAGE_DE), "Vorname");
	assert_string_equal(page_field_autocomplete(&fields.items[1]), "given-name");
	assert_int_equal(fields.items[2].option_count, 2);
	assert_slice(fields.items[2].options[1].value, "Pro");
	assert_slice(fields.items[2].options[1].label, "Pro");
	assert_slice(fields.items[2].label, "Plan");
	assert_false(fields.items[2].required);
	assert_slice(fields.items[3].label, "Age: now");
	assert_true(fields.items[3].required);
	assert_null(page_field_autocomplete(&fields.items[3]));
}

static void
one_of_two_identifiers_is_enough(void **state UNUSED)
{
	const struct page_fields both = parsed("email; phone_number"), phone = parsed("phone_number");
	assert_false(both.items[0].required || both.items[1].required);
	assert_true(phone.items[0].required);
	assert_int_equal(phone.items[0].type, PAGE_FIELD_TEL);
	const struct page_fields usual = page_fields_default();
	assert_true(usual.count == 1 && page_field_is_identifier(&usual.items[0]) && usual.items[0].required);
}

static void
mistakes_are_named(void **state UNUSED)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "", "needs a field `email` or `phone_number`" },
		{ "name", "needs a field `email` or `phone_number`" },
		{ "email; Name: x", "begins with a name" },
		{ "email; 1a: x", "begins with a name" },
		{ "email; : x", "begins with a name" },
		{ "email; utm_source: x", "begins with a name" },
		{ "email; a23456789012345678901234567890123456789012: x", "begins with a name" },
		{ "email; kid: x", "another meaning" },
		{ "email; consent: x", "another meaning" },
		{ "email; plan", "needs a label" },
		{ "email; plan: ", "needs a label" },
		{ "email; plan colour: x", "only a type and `required`" },
		{ "email tel", "only a type and `required`" },
		{ "email; plan select: Plan", "1 to 50 options" },
		{ "email; plan select: Plan =", "1 to 50 options" },
		{ "email; plan select: Plan = a || b", "1 to 50 options" },
		{ "email; plan select: Plan = a => | b", "1 to 50 options" },
		{ "email; plan select: Plan = => A", "1 to 50 options" },
		{ "email; email", "the name of another field" },
		{ "email; a:1; b:1; c:1; d:1; e:1; f:1; g:1; h:1; i:1; j:1; k:1; l:1; m:1; n:1; o:1; p:1; q:1; r:1; s:1; t:1",
		    "there may be 20" },
	};
	struct page_fields fields;
	struct slice problem;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_false(page_fields_parse(pool, slice_of(cases[i].text), &fields, &problem));
		if (strstr(pool_string(pool, problem), cases[i].problem) == NULL)
			fail_msg("%s: %.*s", cases[i].text, SLICE_ARGS(problem));
	}
}

static void
values_are_judged_by_type(void **state UNUSED)
{
	const struct page_fields fields = parsed(
	    "email; url url: U; n number: N; plan select: P = a | b; t: T; agree checkbox required: A; about textarea: B");
	static const struct {
		size_t field;
		const char *value;
		enum page_value expected;
	} cases[] = {
		{ 0, NULL, PAGE_VALUE_MISSING },
		{ 0, "", PAGE_VALUE_MISSING },
		{ 0, "ada@example.org", PAGE_VALUE_OK },
		{ 0, "ada@", PAGE_VALUE_INVALID },
		{ 1, NULL, PAGE_VALUE_OK },
		{ 1, "https://example.org/", PAGE_VALUE_OK },
		{ 1, "javascript:alert(1)", PAGE_VALUE_INVALID },
		{ 1, "https://", PAGE_VALUE_INVALID },
		{ 2, "-1.5", PAGE_VALUE_OK },
		{ 2, "7", PAGE_VALUE_OK },
		{ 2, "1e5", PAGE_VALUE_INVALID },
		{ 2, "1.2.3", PAGE_VALUE_INVALID },
		{ 2, "1-2", PAGE_VALUE_INVALID },
		{ 2, "-", PAGE_VALUE_INVALID },
		{ 2, "1.", PAGE_VALUE_INVALID },
		{ 3, "b", PAGE_VALUE_OK },
		{ 3, "c", PAGE_VALUE_INVALID },
		{ 4, "anything", PAGE_VALUE_OK },
		{ 5, NULL, PAGE_VALUE_MISSING },
		{ 5, "yes", PAGE_VALUE_OK },
		{ 6, "a\nb", PAGE_VALUE_OK },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (page_field_judge(pool, &fields.items[cases[i].field], slice_of(cases[i].value)) != cases[i].expected)
			fail_msg("%zu: %s", cases[i].field, cases[i].value);
}

static void
a_form_fails_as_its_identifier_does(void **state UNUSED)
{
	const struct page_fields fields = parsed("name required; email");
	struct page_form form = { .fields = &fields };
	const struct page page = { .pool = pool };
	struct page asking = page;
	asking.looks.values[LOOK_CONSENT] = SLICE("I agree");
	assert_false(page_form_judge(&page, &form));
	assert_int_equal(page_form_failure(&form), FAILURE_MISSING_EMAIL_AND_PHONE);
	form.values[1] = SLICE("ada@");
	assert_false(page_form_judge(&page, &form));
	assert_int_equal(page_form_failure(&form), FAILURE_INVALID_EMAIL);
	form.values[1] = SLICE("ada@example.org");
	assert_false(page_form_judge(&asking, &form));
	assert_int_equal(page_form_failure(&form), FAILURE_INVALID_PARAMETER);
	form.values[0] = SLICE("Ada");
	assert_true(page_form_judge(&page, &form));
	assert_false(page_form_judge(&asking, &form));
	form.consents = true;
	assert_true(page_form_judge(&asking, &form));
}

#define FIELD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FIELD_TEST(fields_have_names_types_and_labels),
		FIELD_TEST(one_of_two_identifiers_is_enough),
		FIELD_TEST(mistakes_are_named),
		FIELD_TEST(values_are_judged_by_type),
		FIELD_TEST(a_form_fails_as_its_identifier_does),
	};
	return cmocka_run_group_tests_name("page/page_fields", tests, NULL, NULL);
}
