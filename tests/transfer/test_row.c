/* SPDX-License-Identifier: MIT
 * The values of a row (leadhook(1), lead import). */
#include "unit.h"
#include "with_pool.h"

#include "transfer/row_reader.h"

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

static struct row_notes notes; /* notes of the last row */

static const char *
read_cell(const char *name, const char *value, struct import *import)
{
	const struct column columns[] = { column_of(pool, SLICE("email")), column_of_heading(pool, slice_of(name)) };
	struct slice cells[] = { SLICE("a@example.org"), slice_of(value) };
	return row_from_csv(
	    pool, &limits, &(struct row_columns){ columns, 2 }, &(struct csv_fields){ cells, 2 }, &notes, import);
}

static const char *
read_json(struct slice json, struct import *import)
{
	return row_from_json(pool, &limits, json, &notes, import);
}

static void
times_have_several_forms(void **state UNUSED)
{
	static const char *const same[] = { "2025-07-15T12:29:23Z", "2025-07-15 12:29:23", "2025-07-15 12:29:23 UTC",
		"2025-07-15 14:29:23 +0200", "2025-07-15T08:29:23-04:00", " 2025-07-15 12:29:23+00:00 ", "1752582563",
		"1752582563000", "20250715122923", "15.07.2025 12:29:23", "15.7.25, 12:29:23", "7/15/2025 12:29:23 PM",
		"15/07/2025 12:29:23", "15-Jul-2025 12:29:23", "Jul 15, 2025 12:29:23 pm", "15 July 2025 at 12:29:23",
		"Tue, 15 Jul 2025 12:29:23 GMT", "Tue Jul 15 2025 14:29:23 GMT+0200 (CEST)", "2025/07/15 12:29:23",
		"15. Juli 2025 12:29:23 Uhr", "2025-07-15T12:29:23.123456Z", "2025/07/15 2:29:23 PM GMT+2",
		"2025-07-15 08:29:23 AM EDT", "15.07.2025 14:29:23 MESZ", "2025-07-15 14:29:23 CEST" };
	static const char *const bad[] = { "2025-13-15 12:29:23", "yesterday", "2025-07-15 12:29:23 XST", "45123.5",
		"15.07.2025 25:00", "31.02.2025", "13/13/2025", "12", "2025-07-15 13:29 PM", "2025", "15.07.", "1/2/3/4",
		"Foo 15, 2025" };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_null(read_cell("Created at", same[i], &import));
		assert_int_equal(import.created_ms / 1000, INT64_C(1752582563));
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_non_null(read_cell("created", bad[i], &import));
	assert_null(read_cell("created", "2024-03-01 09:30", &import));
	assert_int_equal(import.created_ms, INT64_C(1709285400000));
	for (size_t i = 0; i < 2; i++) {
		assert_null(read_cell("created", i == 0 ? "" : "0000-00-00 00:00:00", &import));
		assert_int_equal(import.created_ms, -1);
	}
}

/* The order of day and month is determined for the file, never for a single row. */
static void
dates_may_have_two_meanings(void **state UNUSED)
{
	static const struct {
		const char *date;
		enum time_form form;
	} cases[] = { { "3/1/2024 9:30 PM", TIME_EITHER }, { "03-01-2024", TIME_EITHER }, { "1/2/24", TIME_EITHER },
		{ "13/1/2024", TIME_DAY_FIRST }, { "1/13/2024", TIME_MONTH_FIRST }, { "4/4/2024", TIME_CLEAR },
		{ "03.01.2024", TIME_CLEAR }, { "2024-03-01", TIME_CLEAR } };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *problem = read_cell("created", cases[i].date, &import);
		assert_int_equal(notes.created, cases[i].form);
		assert_true((problem != NULL) == (cases[i].form == TIME_EITHER));
	}
	limits.dates = DATES_MONTH_FIRST;
	assert_null(read_cell("created", "3/1/2024 9:30 PM", &import));
	assert_int_equal(import.created_ms, INT64_C(1709328600000));
	assert_non_null(read_cell("created", "13/1/2024", &import));
	limits.dates = DATES_DAY_FIRST;
	assert_null(read_cell("created", "3/1/2024 9:30 PM", &import));
	assert_int_equal(import.created_ms, INT64_C(1704317400000));
	assert_non_null(read_cell("created", "1/13/2024", &import));
	limits.dates = DATES_UNKNOWN;
}

/* Words and times with which exports say that someone opted out; anything else means no. */
static void
opt_outs_are_read(void **state UNUSED)
{
	static const char *const yes[] = { "yes", "1", "Ja", "oui", "SÍ", "x", "true", "unsubscribed", "Cleaned",
		"hard-bounced", "2023-05-02 08:11:09", "02.05.2023", "5/2/2023 8:11", "13/2/2023", "1683015069", "Abgemeldet" };
	static const char *const no[] = { "no", "0", "nein", "FALSE", "", "subscribed", "Active", "0000-00-00 00:00:00" };
	static const char *const names[] = { "UNSUB_TIME", "Unsubscribed", "CLEAN_TIME", "Unsubscribed from all email",
		"opted out", "Abgemeldet am", "EMAIL_BLACKLISTED" };
	struct import import;
	for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
		for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
			assert_null(read_cell(names[k], yes[i], &import));
			assert_true(import.opted_out);
		}
		for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
			assert_null(read_cell(names[k], no[i], &import));
			assert_false(import.opted_out);
		}
	}
	assert_string_equal(read_cell("opted_out", "maybe", &import), "opted_out must be yes, no, or a time");
}

static void
meanings_are_given(void **state UNUSED)
{
	static const struct value_rule rules[] = { { SLICE("subscribed"), MEANS_ACTIVE },
		{ SLICE("unsubscribed"), MEANS_OPTED_OUT }, { SLICE("double_opt_in"), MEANS_VERIFIED },
		{ SLICE("spam_trap"), MEANS_LEFT_OUT }, { SLICE(""), MEANS_OPTED_OUT } };
	static const struct value_rule with_others[] = { { SLICE("no"), MEANS_ACTIVE }, { SLICE("*"), MEANS_OPTED_OUT } };
	const struct column columns[] = { column_of(pool, SLICE("email")),
		{ .name = SLICE("Status"), .rules = rules, .rule_count = ARRAY_SIZE(rules) } };
	static const struct {
		const char *value;
		bool opted_out, verified, left_out, bad;
	} cases[] = { { "Subscribed", false, false, false, false }, { "UNSUBSCRIBED ", true, false, false, false },
		{ "Double Opt-in", false, true, false, false }, { "spam trap", false, false, true, false },
		{ "", true, false, false, false }, { "cleaned", false, false, false, true } };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice cells[] = { SLICE("a@example.org"), slice_of(cases[i].value) };
		const char *problem = row_from_csv(
		    pool, &limits, &(struct row_columns){ columns, 2 }, &(struct csv_fields){ cells, 2 }, &notes, &import);
		assert_true((problem != NULL) == cases[i].bad);
		assert_int_equal(import.opted_out, cases[i].opted_out);
		assert_int_equal(import.verified_email, cases[i].verified);
		assert_int_equal(notes.is_left_out, cases[i].left_out);
		assert_int_equal(import.signup.custom_field_count, 0);
	}
	struct column others = columns[1];
	others.rules = with_others;
	others.rule_count = ARRAY_SIZE(with_others);
	static const char *const values[] = { "no", "2024-05-01 10:11", "too many mails", "" };
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct slice cells[] = { SLICE("a@example.org"), slice_of(values[i]) };
		const char *problem =
		    row_from_csv(pool, &limits, &(struct row_columns){ (struct column[]){ columns[0], others }, 2 },
			&(struct csv_fields){ cells, 2 }, &notes, &import);
		assert_true((problem != NULL) == (values[i][0] == '\0')); /* `*` does not include an empty value */
		assert_int_equal(import.opted_out, i == 1 || i == 2);
	}
	static const struct value_rule yes[] = { { SLICE("*"), MEANS_ACTIVE } };
	others.rules = yes;
	others.rule_count = ARRAY_SIZE(yes);
	for (size_t i = 0; i < 2; i++) { /* `*` does not make a word for no mean active */
		struct slice cells[] = { SLICE("a@example.org"), slice_of(i == 0 ? "2024-05-01" : "unsubscribed") };
		const char *problem =
		    row_from_csv(pool, &limits, &(struct row_columns){ (struct column[]){ columns[0], others }, 2 },
			&(struct csv_fields){ cells, 2 }, &notes, &import);
		assert_true((problem == NULL) == (i == 0));
	}
}

/* If any column says that the person opted out, no other column can undo it. */
static void
any_column_opts_out(void **state UNUSED)
{
	const struct row_constant constants[] = { { column_of(pool, SLICE("opted_out")), SLICE("off") },
		{ column_of(pool, SLICE("country_code")), SLICE("DE") } };
	const struct column columns[] = { column_of(pool, SLICE("email")), column_of(pool, SLICE("phone")),
		column_of_heading(pool, SLICE("CLEAN_TIME")), column_of_heading(pool, SLICE("UNSUB_TIME")),
		column_of(pool, SLICE("country_code")) };
	struct slice cells[] = { SLICE("a@example.org"), SLICE("030 123456"), SLICE(""), SLICE("2023-05-02"), SLICE("") };
	struct import import;
	limits.constants = constants;
	limits.constant_count = ARRAY_SIZE(constants);
	assert_null(row_from_csv(
	    pool, &limits, &(struct row_columns){ columns, 5 }, &(struct csv_fields){ cells, 5 }, &notes, &import));
	assert_true(import.opted_out);
	assert_slice(import.signup.phone, "+4930123456");
	cells[4] = SLICE("FR");
	assert_null(row_from_csv(
	    pool, &limits, &(struct row_columns){ columns, 5 }, &(struct csv_fields){ cells, 5 }, &notes, &import));
	assert_true(slice_starts_with(import.signup.phone, SLICE("+33")));
	cells[3] = SLICE("");
	assert_null(row_from_csv(
	    pool, &limits, &(struct row_columns){ columns, 5 }, &(struct csv_fields){ cells, 5 }, &notes, &import));
	assert_false(import.opted_out);
	limits.constant_count = 0;
}

/* The first of several addresses in a cell is the lead's; anything else stays an error. */
static void
a_cell_may_have_several_addresses(void **state UNUSED)
{
	static const char *const same[] = { "a@example.org; b@example.org", "a@example.org,b@example.org",
		"a@example.org / b@example.org", "a@example.org b@example.org", "a@example.org|b@example.org",
		"a@example.org\nb@example.org", "Ada L <a@example.org>; Bob <b@example.org>",
		"a@example.org ::: b@example.org" };
	static const char *const bad[] = { "a@example.org; no", "a@b@c@example.org", "a; b@example.org c@example.org" };
	const struct column columns[] = { column_of(pool, SLICE("email")) };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		struct slice cells[] = { slice_of(same[i]) };
		assert_null(row_from_csv(
		    pool, &limits, &(struct row_columns){ columns, 1 }, &(struct csv_fields){ cells, 1 }, &notes, &import));
		assert_slice(import.signup.email, "a@example.org");
		assert_slice(notes.emails, same[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct slice cells[] = { slice_of(bad[i]) };
		assert_non_null(row_from_csv(
		    pool, &limits, &(struct row_columns){ columns, 1 }, &(struct csv_fields){ cells, 1 }, &notes, &import));
	}
}

/* Exports also call the page that someone came from "referrer". */
static void
a_referrer_may_be_a_page(void **state UNUSED)
{
	struct import import;
	assert_null(read_cell("referrer", "https://shop.example/landing?x=1", &import));
	assert_slice(import.signup.referrer, "https://shop.example/landing?x=1");
	assert_false(slice_present(import.signup.referrer_id));
	assert_null(read_cell("Referrer", "36N38P", &import));
	assert_slice(import.signup.referrer_id, "36N38P");
}

/* An invalid number is left out beside an email address, unless the caller is strict. */
static void
a_bad_number_costs_no_lead(void **state UNUSED)
{
	static const char *const bad[] = { "123", "4.91711E+11", "n/a", "call Nora" };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_null(read_cell("phone", bad[i], &import));
		assert_false(slice_present(import.signup.phone));
		assert_slice(notes.phone_number, bad[i]);
	}
	limits.strict = true;
	assert_string_equal(read_cell("phone", "123", &import), "phone_number is not valid");
	limits.strict = false;
	const struct column column = column_of(pool, SLICE("phone"));
	struct slice cell = SLICE("123");
	assert_string_equal(
	    row_from_csv(pool, &limits, &(struct row_columns){ &column, 1 }, &(struct csv_fields){ &cell, 1 }, &notes, &import),
	    "phone_number is not valid");
	assert_null(read_cell("phone", "+49 30 123456 ::: +49 30 1234567", &import));
	assert_slice(import.signup.phone, "+4930123456");
}

/* Spreadsheets leave out empty cells at the end of a row, or add some. */
static void
rows_may_be_shorter(void **state UNUSED)
{
	const struct column columns[] = { column_of(pool, SLICE("email")), column_of(pool, SLICE("a")),
		column_of(pool, SLICE("b")) };
	struct slice cells[] = { SLICE("a@example.org"), SLICE("1"), SLICE("2"), SLICE(" "), SLICE("3") };
	struct import import;
	for (size_t count = 1; count <= 4; count++) {
		assert_null(row_from_csv(
		    pool, &limits, &(struct row_columns){ columns, 3 }, &(struct csv_fields){ cells, count }, &notes, &import));
		assert_int_equal(import.signup.custom_field_count, count < 3 ? count - 1 : 2);
	}
	assert_string_equal(
	    row_from_csv(pool, &limits, &(struct row_columns){ columns, 3 }, &(struct csv_fields){ cells, 5 }, &notes, &import),
	    "the record has 5 fields, the heading 3: is a text with a delimiter not in quotes?");
}

static void
lists_of_tags_have_several_forms(void **state UNUSED)
{
	static const char *const lists[] = { "vip,\"a, b\"", "VIP; \"A, B\"", "\"vip\",\"a, b\"", "* vip ::: \"a, b\"",
		" \"vip\" ; \"a, b\" ;", "vip\n\"a, b\"" };
	struct import import;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		assert_null(read_cell("tags", lists[i], &import));
		assert_slice(import.tag_ids, "1,2");
		assert_int_equal(notes.unknown_tag_count, 0);
	}
	assert_null(read_cell("tags", "Cafe; vip, New \"x\"", &import));
	assert_int_equal(notes.unknown_tag_count, 2);
	assert_slice(notes.unknown_tags[0], "Cafe");
	assert_slice(notes.unknown_tags[1], "New \"x\"");
}

/* NDJSON has no columns whose meaning could be given. */
static void
a_lead_in_json_says_no(void **state UNUSED)
{
	struct import import;
	assert_string_equal(read_json(SLICE("{\"email_address\":\"a@x.org\",\"status\":\"unsubscribed\"}"), &import),
	    "status says that this person must not get mail: give it a member opted_out");
	assert_null(read_json(SLICE("{\"email\":\"a@x.org\",\"status\":\"unsubscribed\",\"opted_out\":true}"), &import));
	assert_true(import.opted_out);
	assert_null(read_json(SLICE("{\"email\":\"a@x.org\",\"status\":\"subscribed\"}"), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\",\"status\":\"inactive\"}"), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\",\"isExcludedFromCampaigns\":true}"), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\",\"accepts_marketing\":false}"), &import));
	assert_null(read_json(SLICE("{\"email\":\"a@x.org\",\"accepts_marketing\":true,\"paid\":false}"), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\",\"UNSUB_TIME\":\"2024-01-01 10:00:00\"}"), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\",\"bounced_at\":1704103200}"), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\",\"notes\":\"has unsubscribed\"}"), &import));
	assert_null(read_json(SLICE("{\"email\":\"a@x.org\",\"unsubscribed_at\":\"0000-00-00 00:00:00\"}"), &import));
	assert_null(read_json(SLICE("{\"email\":\"a@x.org\",\"bounced\":false}"), &import));
}

static void
bad_values_have_a_reason(void **state UNUSED)
{
	static const struct {
		const char *name, *value, *problem;
	} bad[] = {
		{ "kid", "36N38U", "social_id must have 4 to 16 characters of Crockford's Base32" },
		{ "kid", "ABC", "social_id must have 4 to 16 characters of Crockford's Base32" },
		{ "Referred by", "https://example.org/", "referrer must be a social_id or an email" },
		{ "subscription_number", "0", "subscription_number must be a number from 1 to 4000000000" },
		{ "subscription_number", "4000000001", "subscription_number must be a number from 1 to 4000000000" },
		{ "points", "1.5", "points must be a number from 0 to 4294967295" },
		{ "points", "-1", "points must be a number from 0 to 4294967295" },
		{ "opted_out", "maybe", "opted_out must be yes, no, or a time" },
		{ "verified", "maybe", "verified must be yes or no" },
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

/* docs/api.md 1.6: values that are only informative are made valid, and cut before the first character that exceeds the
 * limit. */
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
	assert_null(read_json(
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

/* leadhook(1), lead export: what an export writes is read back unchanged. */
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
	assert_null(read_json(SLICE("{\"email\":\"a@x.org\",\"tags\":[\"a, b\",\"x\"],\"uid\":\"'=1\"}"), &import));
	assert_slice(import.tag_ids, "2");
	assert_int_equal(import.unknown_names, 1);
	assert_slice(import.signup.uid, "'=1");
}

/* The column that lead export writes for fields without a column of their own. */
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
	assert_non_null(read_json(SLICE(""), &import));
	assert_non_null(read_json(SLICE("{\"email\":\"a@x.org\""), &import));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_string_equal(read_json(slice_of(bad[i].json), &import), bad[i].problem);
}

/* docs/api.md 4.4: as in a request, objects become fields, and names that cannot be custom fields are dropped. */
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
		assert_null(read_json(json, &import));
		assert_int_equal(import.signup.custom_field_count, cases[i].name == NULL ? 0 : 1);
		if (cases[i].name != NULL) {
			assert_slice(import.signup.custom_fields[0].name, cases[i].name);
			assert_slice(import.signup.custom_fields[0].json, cases[i].json);
		}
		assert_slice(import.signup.email, "a@x.org");
		assert_false(slice_present(import.signup.utm));
	}
}

/* The limit exists because members are compared with each other while the campaign is locked. */
static void
a_record_has_at_most_1000_members(void **state UNUSED)
{
	struct slice json = SLICE("{\"email\":\"a@x.org\"");
	struct import import;
	for (unsigned i = 0; i < 999; i++)
		json = pool_printf(pool, "%.*s,\"k%u\":1", SLICE_ARGS(json), i);
	assert_null(read_json(POOL_JOIN(pool, json, SLICE("}")), &import));
	assert_string_equal(
	    read_json(POOL_JOIN(pool, json, SLICE(",\"x\":1}")), &import), "There are more than 1000 parameters");
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
		cmocka_unit_test(dates_may_have_two_meanings),
		cmocka_unit_test(opt_outs_are_read),
		cmocka_unit_test(meanings_are_given),
		cmocka_unit_test(any_column_opts_out),
		cmocka_unit_test(a_cell_may_have_several_addresses),
		cmocka_unit_test(a_referrer_may_be_a_page),
		cmocka_unit_test(a_bad_number_costs_no_lead),
		cmocka_unit_test(rows_may_be_shorter),
		cmocka_unit_test(lists_of_tags_have_several_forms),
		cmocka_unit_test(a_lead_in_json_says_no),
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
