/* SPDX-License-Identifier: MIT
 * docs/inbound.md 3: which values of a payload become which parameters. */
#include "unit.h"

#include <string.h>

#include "webhook/mapping.h"
#include "with_pool.h"

enum { DEPTH = 16 };

/* The fields as text: `target=value`, with `?` after an optional target, in order; entries are separated by `|`. */
static struct slice
fields_of(const struct payload_map *map, struct slice json)
{
	struct document_node *root;
	struct slice problem;
	struct mapped_field *fields;
	struct buffer out;
	struct json_writer writer;
	assert_true(document_read_json(pool, json, DEPTH, &root, &problem));
	const struct payload_list payload = mapping_entries(pool, map, root);
	buffer_init(&out, 1024 * 1024);
	for (size_t entry = 0; entry < payload.count; entry++) {
		const size_t count = mapping_apply(pool, map, &payload, entry, &fields);
		buffer_add_text(&out, entry == 0 ? "" : " | ");
		for (size_t i = 0; i < count; i++) {
			buffer_printf(
			    &out, "%s%.*s%s=", i == 0 ? "" : " ", SLICE_ARGS(fields[i].target), fields[i].optional ? "?" : "");
			json_writer_init(&writer, &out);
			document_write(fields[i].value, &writer);
		}
	}
	assert_true(buffer_ok(&out));
	const struct slice text = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return text;
}

/* `rules`: "target=path target=path". */
static void
assert_fields(const char *rules, const char *json, const char *expected)
{
	struct payload_map map = { .count = 0 }, again;
	struct slice rest = slice_of(rules), rule;
	while (slice_next(&rest, ' ', &rule)) {
		const size_t equals = slice_find(rule, '=');
		const struct slice target = slice_sub(rule, 0, equals), path = slice_sub(rule, equals + 1, rule.size);
		assert_null(mapping_check(target, path));
		assert_null(mapping_add(pool, &map, target, path));
	}
	assert_true(mapping_parse(pool, mapping_write(pool, &map), &again));
	assert_int_equal(again.count, map.count);
	const struct slice found = fields_of(&again, slice_of(json));
	assert_string_equal(pool_string(pool, found), expected);
}

static void
a_path_leads_to_a_value(void **state UNUSED)
{
	const char *json = "{\"a\":{\"b\":[1,{\"c\":\"x\"}],\"b.c\":2,\"\":3},\"a\":{\"b\":[1,{\"c\":\"y\"}],\"b.c\":4}}";
	assert_fields("f=a.b.1.c", json, "f=\"y\"");
	assert_fields("f=a[b][1].c", json, "f=\"y\"");
	assert_fields("f=a[b.c]", json, "f=4");
	assert_fields("f=a.b.2 g=a.c h=b", json, "");
	assert_fields("f=a.b.1.c.d", json, "");
	assert_fields("f=0.x", "[{\"x\":null}]", "f=null");
}

/* Values whose place depends on the sender are chosen by the values next to them. */
static void
a_path_selects_by_value(void **state UNUSED)
{
	const char *json =
	    "{\"answers\":[{\"field\":{\"ref\":\"mail\"},\"text\":\"a\"},{\"field\":{\"ref\":\"Your name\"},\"text\":\"n\"},"
	    "{\"key\":7,\"text\":\"seven\"},{\"key\":\"a]b\",\"text\":\"odd\"}],\"map\":{\"3\":{\"name\":\"q\",\"v\":1},\"a="
	    "b\":2}}";
	assert_fields("f=answers.[field.ref=mail].text", json, "f=\"a\"");
	assert_fields("f=answers[field.ref=\"mail\"].text", json, "f=\"a\"");
	assert_fields("f=answers.[key=7].text", json, "f=\"seven\"");
	assert_fields("f=answers.[key=\"a]b\"].text", json, "f=\"odd\"");
	assert_fields("f=map.[name=q].v", json, "f=1");
	assert_fields("f=map.[a=b]", json, "f=2");
	assert_fields("f=answers.[field.ref=none].text", json, "");
	struct document_node *root;
	struct slice problem;
	assert_true(document_read_json(pool, slice_of(json), DEPTH, &root, &problem));
	assert_non_null(document_find(pool, root, SLICE("answers.[field.ref = Your name].text")));
}

/* A name with dots or brackets is found as written if no path leads to a value. */
static void
a_name_may_have_dots(void **state UNUSED)
{
	assert_fields("f=1.3", "{\"1.3\":\"n\",\"1\":\"x\"}", "f=\"n\"");
	assert_fields("f=1.3", "{\"1.3\":\"n\",\"1\":{\"3\":\"x\"}}", "f=\"x\"");
	assert_fields("f=form.field.1.value", "{\"form\":{\"field.1\":{\"value\":2}}}", "f=2");
	assert_fields("f=a.b[c].d", "{\"a\":{\"b[c].d\":3}}", "f=3");
	assert_fields("f=a[b]", "{\"a[b]\":4}", "f=4");
}

static void
a_path_goes_on_in_a_text(void **state UNUSED)
{
	assert_fields("f=data.a.1", "{\"data\":\"{\\\"a\\\":[1,2]}\"}", "f=2");
	assert_fields("f=[].a", "{\"x\":1}", "");
	assert_fields("f=data.[].a", "{\"data\":\" [{\\\"a\\\":1},{\\\"a\\\":2}]\"}", "f=1 | f=2");
	assert_fields("", "{\"data\":\"{\\\"email\\\":\\\"a\\\"}\"}", "email=\"a\" data?=\"{\\\"email\\\":\\\"a\\\"}\"");
	assert_fields("f=data.a", "{\"data\":\"{a\"}", "");
}

static void
a_list_is_an_entry_each(void **state UNUSED)
{
	const char *json = "{\"shop\":\"s\",\"list\":[{\"e\":{\"m\":\"a\"}},{\"e\":{}},7]}";
	assert_fields("email=list.[].e.m f=shop", json, "email=\"a\" f=\"s\" | f=\"s\" | f=\"s\"");
	assert_fields("email=list[].e.m", json, "email=\"a\" |  | ");
	assert_fields("email=[]", "[\"a\",\"b\"]", "email=\"a\" | email=\"b\"");
	assert_fields("email=m", "[{\"m\":\"a\"},{\"m\":\"b\"}]", "email=\"a\" | email=\"b\"");
	assert_fields("email=1.m", "[{\"m\":\"a\"},{\"m\":\"b\"}]", "email=\"b\"");
	assert_fields("email=list.[].m", "{\"list\":{\"m\":\"a\"}}", "email=\"a\"");
	assert_fields("email=list.[].m", "{\"list\":{\"0\":{\"m\":\"a\"},\"1\":{\"m\":\"b\"}}}", "email=\"a\" | email=\"b\"");
	assert_fields("email=list.[].m", "{\"list\":[]}", "");
}

static void
the_lists_of_a_map_are_one(void **state UNUSED)
{
	struct payload_map map = { .count = 0 };
	assert_null(mapping_add(pool, &map, SLICE("email"), SLICE("a.b.[].m")));
	assert_null(mapping_add(pool, &map, SLICE("f"), SLICE("a.b[].n")));
	assert_null(mapping_add(pool, &map, SLICE("g"), SLICE("a.c")));
	assert_non_null(mapping_add(pool, &map, SLICE("h"), SLICE("a.c.[].n")));
}

static void
a_constant_is_in_every_payload(void **state UNUSED)
{
	assert_fields("country_code=\"DE\" phone_number=p", "{\"p\":\"1\"}", "country_code=\"DE\" phone_number=\"1\"");
	assert_fields("f=[\"DE\"]", "{\"\\\"DE\\\"\":1}", "f=1");
}

/* A payload with only some entries of its list works with the same map. */
static void
a_list_is_written_in_part(void **state UNUSED)
{
	struct document_node *root;
	struct slice problem;
	struct payload_map map = { .count = 0 };
	struct buffer out;
	struct json_writer writer;
	const char *json = "{\"s\":1,\"d\":\"{\\\"l\\\":[{\\\"m\\\":1},{\\\"m\\\":2},{\\\"m\\\":3}]}\"}";
	assert_null(mapping_add(pool, &map, SLICE("email"), SLICE("d.l.[].m")));
	assert_true(document_read_json(pool, slice_of(json), DEPTH, &root, &problem));
	const struct payload_list list = mapping_entries(pool, &map, root);
	assert_int_equal(list.count, 3);
	const struct document_entries second = { list.list, list.entries[1], list.entries[2] },
				      rest = { list.list, list.entries[1], NULL };
	buffer_init(&out, 1000);
	json_writer_init(&writer, &out);
	document_write_entries(root, &second, &writer);
	json_writer_init(&writer, &out);
	document_write_entries(root, &rest, &writer);
	assert_string_equal(pool_string(pool, buffer_slice(&out)),
	    "{\"s\":1,\"d\":{\"l\":[{\"m\":2}]}}{\"s\":1,\"d\":{\"l\":[{\"m\":2},{\"m\":3}]}}");
	buffer_free(&out);
}

/* The notes in the log about a map that does not fit. */
static void
a_map_that_does_not_fit_is_noted(void **state UNUSED)
{
	static const char *const cases[][2] = {
		{ "{\"list\":[{\"m\":1},{\"m\":2}]}",
		    "list.0.m takes one of 2 entries, a path with [] in place of the number all; no value at n" },
		{ "{\"list\":[{\"m\":1}],\"n\":1}", "" },
		{ "{\"n\":1}", "no value at list.0.m" },
	};
	struct payload_map map = { .count = 0 };
	struct mapped_field *fields;
	struct document_node *root;
	struct slice problem;
	assert_null(mapping_add(pool, &map, SLICE("email"), SLICE("list.0.m")));
	assert_null(mapping_add(pool, &map, SLICE("f"), SLICE("n")));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(document_read_json(pool, slice_of(cases[i][0]), DEPTH, &root, &problem));
		const struct payload_list payload = mapping_entries(pool, &map, root);
		const size_t count = mapping_apply(pool, &map, &payload, 0, &fields);
		const struct slice notes = mapping_notes(pool, &map, &payload, fields, count);
		assert_string_equal(pool_string(pool, slice_present(notes) ? notes : SLICE("")), cases[i][1]);
	}
}

static void
lines_are_a_list(void **state UNUSED)
{
	struct document_node *root;
	assert_true(document_read_lines(pool, SLICE("{\"a\":1}\r\n\nnot JSON\n{\"a\":{\"b\":2}}"), DEPTH, &root));
	assert_int_equal(root->count, 3);
	assert_non_null(document_find(pool, root, SLICE("2.a.b")));
	assert_int_equal(root->first->next->type, DOCUMENT_STRING);
}

static void
an_object_is_its_leaves(void **state UNUSED)
{
	assert_fields(
	    "f=a", "{\"a\":{\"b\":1,\"c\":{\"d\":[1,2]},\"e\":[{\"g\":true}]}}", "f[b]?=1 f[c][d]?=[1,2] f[e][0][g]?=true");
	assert_fields("f=a", "{\"a\":[1,\"x\",null]}", "f=[1,\"x\",null]");
}

/* A name that is too long for a parameter is not built for every container inside it. */
static void
a_leaf_with_a_long_name_is_left_out(void **state UNUSED)
{
	const struct slice name = pool_printf(pool, "%0300d", 0);
	const struct slice json =
	    pool_printf(pool, "{\"a\":{\"b\":1,\"%.*s\":{\"c\":2,\"d\":[{}]},\"e\":{\"f\":3}}}", SLICE_ARGS(name));
	assert_fields("x=a", pool_string(pool, json), "x[b]?=1 x[e][f]?=3");
	const struct slice fits = slice_sub(name, 0, 250);
	const struct slice short_json = pool_printf(pool, "{\"a\":{\"%.*s\":{\"c\":2}}}", SLICE_ARGS(fits));
	const struct slice field = pool_printf(pool, "x[%.*s][c]?=2", SLICE_ARGS(fits));
	assert_fields("x=a", pool_string(pool, short_json), pool_string(pool, field));
	const struct slice exceeds = slice_sub(name, 0, 251);
	const struct slice long_json = pool_printf(pool, "{\"a\":{\"%.*s\":{\"c\":2}}}", SLICE_ARGS(exceeds));
	assert_fields("x=a", pool_string(pool, long_json), "");
}

static void
obvious_names_need_no_map(void **state UNUSED)
{
	assert_fields("", "{\"Email\":\"a\",\"PHONE\":1,\"plan\":\"x\"}", "email=\"a\" phone_number=1 plan?=\"x\"");
	assert_fields("", "{\"phone_number\":1,\"phone\":2}", "phone_number=1");
	assert_fields("", "{\"type\":\"t\",\"contact\":{\"email\":\"a\",\"name\":\"n\",\"plan\":1}}",
	    "email=\"a\" name=\"n\" type?=\"t\"");
	assert_fields("", "{\"email\":\"\",\"lead\":{\"email\":\"a\"}}", "email=\"a\"");
	assert_fields("", "[{\"email\":\"a\"}]", "email=\"a\"");
	assert_fields("", "[{\"email\":\"a\"},{\"email\":\"b\"}]", "email=\"a\" | email=\"b\"");
	assert_fields("", "\"email\"", "");
	assert_fields("", "{\"Email Address\":\"a\",\"firstName\":\"f\",\"Last-Name\":\"l\"}",
	    "email=\"a\" first_name=\"f\" last_name=\"l\"");
	assert_fields("", "{\"your-email\":\"a\",\"your-name\":\"n\"}", "email=\"a\" name=\"n\"");
	assert_fields("", "{\"emails\":\"a\",\"_email\":\"b\"}", "emails?=\"a\"");
	assert_fields("", "[{\"body\":{\"email\":\"a\"}}]", "email=\"a\"");
	assert_fields("*=*", "{\"email\":\"a\",\"first_name\":\"f\",\"plan\":1}", "email=\"a\" first_name=\"f\" plan?=1");
	assert_fields("email=email *=data", "{\"email\":\"a\",\"data\":{\"email\":\"b\",\"phone\":1,\"name\":\"n\"}}",
	    "email=\"a\" phone_number=1 name=\"n\"");
	assert_fields("*=values", "{\"values\":{\"Email\":[\"a\"],\"Name\":[\"n\"]}}", "email=[\"a\"] name=[\"n\"]");
}

static void
only_a_rule_chooses_what_decides(void **state UNUSED)
{
	const char *json = "{\"email\":\"a\",\"points\":5,\"must_exist\":1,\"redirect_url\":\"u\",\"ip\":\"i\",\"social_id\":"
			   "\"s\",\"api_key\":"
			   "\"k\",\"Campaign_Id\":1,\"__uid\":\"u\",\"__source\":\"API\",\"__x\":1,\"kid\":\"k\"}";
	assert_fields("", json, "email=\"a\" __uid?=\"u\" kid?=\"k\"");
	assert_fields("points=points", json, "points=5 email=\"a\"");
	assert_fields("*=*", json, "email=\"a\" __uid?=\"u\" kid?=\"k\"");
	assert_fields("__source=__source", json, "__source=\"API\" email=\"a\"");
}

static void
a_map_is_all_but_the_identifier(void **state UNUSED)
{
	const char *json = "{\"email\":\"a\",\"name\":\"n\",\"data\":{\"plan\":1,\"size\":2,\"in\":{\"x\":1}}}";
	assert_fields("plan=data.size", json, "plan=2 email=\"a\"");
	assert_fields("plan=data.size *=data", json, "plan=2 email=\"a\" size?=2");
	assert_fields("phone_number=p", json, "");
}

/* `Tier` and `tier` are one custom field: docs/api.md 4.4. */
static void
a_rule_counts_before_names_in_another_case(void **state UNUSED)
{
	const char *json = "{\"Email\":\"b\",\"Tier\":\"free\",\"data\":{\"mail\":\"a\",\"tier\":\"gold\"}}";
	assert_fields("email=data.mail tier=data.tier *=*", json, "email=\"a\" tier=\"gold\"");
}

static void
bad_rules_are_refused(void **state UNUSED)
{
	static const char *const rules[][2] = { { "", "a" }, { "api_key", "a" }, { "API_KEY", "a" }, { "__url2", "a" },
		{ "_x", "a" }, { "campaignId", "a" }, { "f", "" }, { "f", "a." }, { "f", ".a" }, { "f", "a..b" },
		{ "f", "a[b" }, { "f", "a[].b[].c" }, { "f", "[a]b" }, { "f", "a.[b..c=d]" }, { "email", "\"a@example.org\"" },
		{ "*", "\"a\"" }, { "f", "*" }, { "f\n", "a" }, { "f", "a\xff" },
		{ "f", "a\xc2\x9b"
		       "31m" },
		{ "f\xc2\x85", "a" }, { "Email", "a" }, { "KID", "a" }, { "Points", "a" },
		{ "f", "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17" } };
	struct payload_map map = { .count = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (mapping_check(slice_of(rules[i][0]), slice_of(rules[i][1])) == NULL)
			fail_msg("%s=%s", rules[i][0], rules[i][1]);
	for (size_t i = 0; i < MAPPING_RULES_MAX; i++)
		assert_null(mapping_add(pool, &map, pool_printf(pool, "f%zu", i), SLICE("a")));
	assert_null(mapping_add(pool, &map, SLICE("f0"), SLICE("b")));
	assert_non_null(mapping_add(pool, &map, SLICE("g"), SLICE("a")));
	assert_false(mapping_parse(pool, SLICE("{\"api_key\":\"a\"}"), &map));
	assert_false(mapping_parse(pool, SLICE("{"), &map));
}

static void
a_form_is_a_document(void **state UNUSED)
{
	struct document_node *root = document_new(pool);
	const char *names[] = { "data[customer][email]", "data[customer][city]", "a.b", "x[", "data[customer][email][deep]" };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct document_node *node = document_add_field(pool, root, slice_of(names[i]));
		assert_true((node == NULL) == (i == 4)); /* it would be inside a value */
		if (node != NULL) {
			node->type = DOCUMENT_STRING;
			node->text = slice_of(names[i]);
		}
	}
	assert_non_null(document_find(pool, root, SLICE("data.customer.city")));
	assert_non_null(document_find(pool, root, SLICE("[a.b]")));
	assert_non_null(document_find(pool, root, SLICE("a.b")));
	assert_non_null(document_child(document_child(root, SLICE("x")), SLICE("[")));
}

static void
a_document_has_limits(void **state UNUSED)
{
	struct document_node *root;
	struct slice problem;
	struct buffer text;
	buffer_init(&text, 1024 * 1024);
	buffer_add_byte(&text, '[');
	for (size_t i = 0; i < DOCUMENT_NODES_MAX; i++)
		buffer_add_text(&text, i == 0 ? "1" : ",1");
	buffer_add_byte(&text, ']');
	assert_false(document_read_json(pool, buffer_slice(&text), DEPTH, &root, &problem));
	assert_string_equal(pool_string(pool, problem), "more than 20000 values");
	buffer_free(&text);
	assert_false(document_read_json(pool, SLICE("[[1]]"), 1, &root, &problem));
	assert_false(document_read_json(pool, SLICE("[1"), DEPTH, &root, &problem));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_path_leads_to_a_value, begin, end),
		cmocka_unit_test_setup_teardown(a_path_selects_by_value, begin, end),
		cmocka_unit_test_setup_teardown(a_name_may_have_dots, begin, end),
		cmocka_unit_test_setup_teardown(a_path_goes_on_in_a_text, begin, end),
		cmocka_unit_test_setup_teardown(a_list_is_an_entry_each, begin, end),
		cmocka_unit_test_setup_teardown(the_lists_of_a_map_are_one, begin, end),
		cmocka_unit_test_setup_teardown(a_constant_is_in_every_payload, begin, end),
		cmocka_unit_test_setup_teardown(a_list_is_written_in_part, begin, end),
		cmocka_unit_test_setup_teardown(a_map_that_does_not_fit_is_noted, begin, end),
		cmocka_unit_test_setup_teardown(lines_are_a_list, begin, end),
		cmocka_unit_test_setup_teardown(an_object_is_its_leaves, begin, end),
		cmocka_unit_test_setup_teardown(a_leaf_with_a_long_name_is_left_out, begin, end),
		cmocka_unit_test_setup_teardown(obvious_names_need_no_map, begin, end),
		cmocka_unit_test_setup_teardown(only_a_rule_chooses_what_decides, begin, end),
		cmocka_unit_test_setup_teardown(a_map_is_all_but_the_identifier, begin, end),
		cmocka_unit_test_setup_teardown(a_rule_counts_before_names_in_another_case, begin, end),
		cmocka_unit_test_setup_teardown(bad_rules_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_form_is_a_document, begin, end),
		cmocka_unit_test_setup_teardown(a_document_has_limits, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
