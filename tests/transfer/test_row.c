/* SPDX-License-Identifier: MIT
 * The values of a row (leadhook(1), lead import). */
#include "unit.h"
#include "with_pool.h"

#include "transfer/row.h"

static bool
is_reserved(struct slice lower_name)
{
	return slice_equal(lower_name, SLICE("action")) || slice_equal(lower_name, SLICE("email"));
}

static const struct tag tags[] = { { .id = 1, .name = SLICE("vip") }, { .id = 2, .name = SLICE("a, b") } };
static const struct action actions[] = { { .id = 7, .text = SLICE("say hi") } };
static const struct definitions definitions = { .tags = tags, .tag_count = 2, .actions = actions, .action_count = 1 };

static struct row_limits limits = {
	.name_bytes = 64,
	.value_bytes = 4096,
	.depth = 16,
	.is_reserved = is_reserved,
	.utm_bytes = 16384,
};

static const char *
read_cell(const char *name, const char *value, struct import *import)
{
	const struct column columns[] = { column_of(pool, SLICE("email"), false), column_of(pool, slice_of(name), false) };
	struct slice cells[] = { SLICE("a@example.org"), slice_of(value) };
	return row_from_csv(pool, &limits, columns, 2, &(struct csv_fields){ cells, 2 }, import);
}

static void
times_have_several_forms(void **state UNUSED)
{
	static const char *const same[] = { "2025-07-15T12:29:23Z", "2025-07-15 12:29:23", "2025-07-15 12:29:23 UTC",
		"2025-07-15 14:29:23 +0200", "2025-07-15T08:29:23-04:00", " 2025-07-15 12:29:23+00:00 " };
	static const char *const bad[] = { "07/15/2025", "2025-07-15 12:29", "2025-13-15 12:29:23", "yesterday",
		"2025-07-15 12:29:23 CET", "1752582563" };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_null(read_cell("Created at", same[i], &import));
		assert_int_equal(import.created_ms, INT64_C(1752582563000));
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_non_null(read_cell("created", bad[i], &import));
	assert_null(read_cell("created", "", &import));
	assert_int_equal(import.created_ms, -1);
}

static void
bad_values_have_a_reason(void **state UNUSED)
{
	static const struct {
		const char *name, *value, *problem;
	} bad[] = {
		{ "phone", "123", "phone_number is not valid" },
		{ "kid", "36N38U", "social_id must have 4 to 16 characters of Crockford's Base32" },
		{ "kid", "ABC", "social_id must have 4 to 16 characters of Crockford's Base32" },
		{ "referrer", "https://example.org/", "referrer must be a social_id or an email" },
		{ "subscription_number", "0", "subscription_number must be a number from 1 to 4000000000" },
		{ "subscription_number", "4000000001", "subscription_number must be a number from 1 to 4000000000" },
		{ "points", "1.5", "points must be a number from 0 to 4294967295" },
		{ "points", "-1", "points must be a number from 0 to 4294967295" },
		{ "opted_out", "maybe", "opted_out must be true or false" },
		{ "claimed", "phone", "claimed must be email or phone_number" },
		{ "plan", "\xff", "plan must be valid UTF-8: see --encoding" },
	};
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_string_equal(read_cell(bad[i].name, bad[i].value, &import), bad[i].problem);
}

static void
a_score_may_be_empty_or_absent(void **state UNUSED)
{
	struct import import;
	assert_null(read_cell("points", "", &import));
	assert_true(import.has_score);
	assert_int_equal(import.score, 0);
	assert_null(read_cell("plan", "", &import));
	assert_false(import.has_score);
	assert_int_equal(import.signup.custom_field_count, 0);
}

/* docs/api.md 1.6: what only informs is made valid, and cut before the first character that exceeds the limit. */
static void
what_only_informs_is_cleaned(void **state UNUSED)
{
	struct import import;
	assert_null(read_cell("user_agent", " a\x01 b\r\nc\v ", &import));
	assert_slice(import.signup.user_agent, "a b\nc");
	struct slice text = SLICE("\xc3\xa9");
	while (text.size <= limits.value_bytes)
		text = pool_join(pool, (const struct slice[]){ text, text }, 2);
	text = pool_join(pool, (const struct slice[]){ SLICE("x"), text }, 2);
	assert_null(read_cell("signup_url", text.data, &import));
	assert_int_equal(
	    import.signup.signup_url.size, limits.value_bytes % 2 == 1 ? limits.value_bytes : limits.value_bytes - 1);
}

static void
json_is_read_as_payloads_show_it(void **state UNUSED)
{
	struct import import;
	assert_null(row_from_json(pool, &limits,
	    SLICE("{\"id\":1,\"tags\":[{\"a\":[]}],\"email\":\"a@example.org\",\"phone_number\":null,\"referrer\":\"https://"
		  "x.org\","
		  "\"parent_id\":\"36n38p\",\"first_name\":\"A\",\"custom_fields\":{\"Plan\":[1,\"x\",null],\"size\":4},"
		  "\"utm\":{\"source\":\"s\"},\"contest_score\":3,\"verified\":true}"),
	    &import));
	assert_slice(import.signup.referrer, "https://x.org");
	assert_slice(import.signup.referrer_id, "36N38P");
	assert_slice(import.signup.utm, "{\"source\":\"s\"}");
	assert_int_equal(import.signup.custom_field_count, 2);
	assert_slice(import.signup.custom_fields[0].name, "plan");
	assert_slice(import.signup.custom_fields[0].json, "[1,\"x\",null]");
	assert_slice(import.signup.custom_fields[1].json, "4");
	assert_true(import.verified_email && import.has_score);
	assert_int_equal(import.score, 3);
}

/* leadhook(1), lead export: what an export writes is read as it was. */
static void
names_and_formulas_are_read(void **state UNUSED)
{
	struct import import;
	assert_null(read_cell("tags", "vip,\"a, b\",unknown,", &import));
	assert_slice(import.tag_ids, "1,2");
	assert_int_equal(import.unknown_names, 1);
	assert_null(read_cell("completed_actions", "say hi", &import));
	assert_slice(import.action_ids, "7");
	assert_null(read_cell("uid", "'=1", &import));
	assert_slice(import.signup.uid, "=1");
	assert_null(read_cell("custom_fields[email]", "'+1", &import));
	assert_slice(import.signup.custom_fields[0].name, "email");
	assert_slice(import.signup.custom_fields[0].text, "+1");
	assert_null(
	    row_from_json(pool, &limits, SLICE("{\"email\":\"a@x.org\",\"tags\":[\"a, b\",\"x\"],\"uid\":\"'=1\"}"), &import));
	assert_slice(import.tag_ids, "2");
	assert_int_equal(import.unknown_names, 1);
	assert_slice(import.signup.uid, "'=1");
}

/* The column of lead export that has what no other column has. */
static void
other_fields_are_read(void **state UNUSED)
{
	struct import import;
	assert_null(read_cell("__fields", "", &import));
	assert_int_equal(import.signup.custom_field_count, 0);
	assert_null(read_cell(
	    "__fields", "{\"utm\":{\"u1\":\"x\"},\"custom_fields\":{\"plan\":\"gold\",\"size\":[1,\"=2\"]}}", &import));
	assert_slice(import.signup.utm, "{\"u1\":\"x\"}");
	assert_int_equal(import.signup.custom_field_count, 2);
	assert_slice(import.signup.custom_fields[0].json, "\"gold\"");
	assert_slice(import.signup.custom_fields[1].json, "[1,\"=2\"]");
	assert_non_null(read_cell("__fields", "{\"utm\":", &import));
	assert_non_null(read_cell("__fields", "[]", &import));
}

static void
bad_json_has_a_reason(void **state UNUSED)
{
	static const struct {
		const char *json, *problem;
	} bad[] = {
		{ "[]", "the record is not valid JSON: it must be an object" },
		{ "1", "the record is not valid JSON: it must be an object" },
		{ "{}", "there is neither an email nor a phone_number" },
		{ "{\"email\":{\"a\":1}}", "Parameter email must be a plain value or an array of plain values" },
		{ "{\"email\":[\"a@x.org\"]}", "email must be one value" },
		{ "{\"email\":\"a@x.org\",\"custom_fields\":[1]}", "custom_fields must be an object" },
		{ "{\"email\":\"a@x.org\",\"big\":1e999}", "Parameter big must be a number that a double can hold" },
		{ "{\"email\":\"a@x.org\",\"list\":[1e999]}", "Parameter list must be a number that a double can hold" },
		{ "{\"email\":\"a@x.org\",\"\":1}", "A parameter has no name" },
	};
	struct import import;
	assert_non_null(row_from_json(pool, &limits, SLICE(""), &import));
	assert_non_null(row_from_json(pool, &limits, SLICE("{\"email\":\"a@x.org\""), &import));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_string_equal(row_from_json(pool, &limits, slice_of(bad[i].json), &import), bad[i].problem);
}

/* docs/api.md 4.4: as in a request, objects become fields, and names that are no custom fields are dropped. */
static void
json_has_the_fields_of_a_request(void **state UNUSED)
{
	static const struct {
		const char *members, *name, *json; /* json NULL: there is no field */
	} cases[] = {
		{ "\"geo\":{\"city\":{\"zip\":\"1\"}}", "geo[city][zip]", "\"1\"" },
		{ "\"custom_fields\":{\"geo\":{\"city\":\"Bonn\"}}", "geo[city]", "\"Bonn\"" },
		{ "\"list\":[{\"a\":1}]", "list[0][a]", "1" },
		{ "\"custom_fields\":[]", NULL, NULL },
		{ "\"custom_fields\":{}", NULL, NULL },
		{ "\"custom_fields\":null", NULL, NULL },
		{ "\"utm\":[]", NULL, NULL },
		{ "\"custom_fields\":{\"email\":\"b@x.org\",\"_x\":1,\"utm_source\":\"x\",\"action\":1}", NULL, NULL },
		{ "\"action\":1", NULL, NULL },
		{ "\"_x\":{\"y\":1}", NULL, NULL },
		{ "\"big\":12345678901234567890.5", "big", "12345678901234567890.5" },
	};
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct slice json = pool_printf(pool, "{\"email\":\"a@x.org\",%s}", cases[i].members);
		assert_null(row_from_json(pool, &limits, json, &import));
		assert_int_equal(import.signup.custom_field_count, cases[i].name == NULL ? 0 : 1);
		if (cases[i].name != NULL) {
			assert_slice(import.signup.custom_fields[0].name, cases[i].name);
			assert_slice(import.signup.custom_fields[0].json, cases[i].json);
		}
		assert_slice(import.signup.email, "a@x.org");
		assert_false(slice_present(import.signup.utm));
	}
}

/* More would be compared with each other while the campaign is locked. */
static void
a_record_has_at_most_1000_members(void **state UNUSED)
{
	struct slice json = SLICE("{\"email\":\"a@x.org\"");
	struct import import;
	for (unsigned i = 0; i < 999; i++)
		json = pool_printf(pool, "%.*s,\"k%u\":1", SLICE_ARGS(json), i);
	assert_null(row_from_json(pool, &limits, POOL_JOIN(pool, json, SLICE("}")), &import));
	assert_string_equal(row_from_json(pool, &limits, POOL_JOIN(pool, json, SLICE(",\"x\":1}")), &import),
	    "There are more than 1000 parameters");
}

static int
begin_with_names(void **state)
{
	const int status = begin(state);
	limits.tags = names_of_tags(pool, &definitions);
	limits.actions = names_of_actions(pool, &definitions);
	return status;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_several_forms),
		cmocka_unit_test(bad_values_have_a_reason),
		cmocka_unit_test(a_score_may_be_empty_or_absent),
		cmocka_unit_test(what_only_informs_is_cleaned),
		cmocka_unit_test(json_is_read_as_payloads_show_it),
		cmocka_unit_test(names_and_formulas_are_read),
		cmocka_unit_test(other_fields_are_read),
		cmocka_unit_test(bad_json_has_a_reason),
		cmocka_unit_test(json_has_the_fields_of_a_request),
		cmocka_unit_test(a_record_has_at_most_1000_members),
	};
	return cmocka_run_group_tests(tests, begin_with_names, end);
}
