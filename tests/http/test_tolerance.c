/* SPDX-License-Identifier: MIT
 * docs/api.md 1.6: values that are left out, cut or made valid instead of refused, and objects of fields. Modules: http. */
#include "parsed.h"

#include <stdlib.h>

#include "http/http_text.h"
#include "os/clock.h"

struct accepted {
	const char *type;
	struct slice body;
	const char *expected;
};

static void
assert_accepted(const struct accepted *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!parse(SLICE_NONE, cases[i].type, cases[i].body))
			fail_msg("%.*s: %.*s", SLICE_ARGS(cases[i].body), SLICE_ARGS(problem.message));
		assert_params(cases[i].expected);
	}
}

static void
unknown_internal_names_are_dropped(void **state UNUSED)
{
	static const struct accepted cases[] = {
		{ JSON, SLICE("{\"_a\":{\"b\":[1,{\"c\":[]}]},\"email\":\"x\"}"), "email='x';" },
		{ JSON, SLICE("{\"_a\":[[{}]],\"_b\":1e999,\"__\":\"\\u0000\",\"_\\u0001\":1,\"x\":1}"), "x=1;" },
		{ JSON, SLICE("{\"__url\":\"u\",\"__URL\":{}}"), "__url='u';" },
		{ FORM, SLICE("_a=%00&_b[]=%FF&_%FF=1&_c[d]=x&%5Fe=%01&x=1"), "x='1';" },
		{ MULTIPART, SLICE(PART("_a", "\0") PART("_b\"; filename=\"x", "file") PART("x", "1") END), "x='1';" },
	};
	assert_accepted(cases, ARRAY_SIZE(cases));
	assert_true(parse(SLICE("_a=%00&__b=1"), NULL, SLICE_NONE));
	assert_params("");
	/* the syntax of the text still counts */
	assert_false(parse(SLICE_NONE, JSON, SLICE("{\"_a\":{\"b\":}}")));
	assert_problem(HTTP_INVALID_JSON, "Please verify your JSON payload: ");
	assert_false(parse(SLICE_NONE, JSON, SLICE("{\"_a\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}")));
	assert_problem(HTTP_INVALID_JSON, "nested too deeply");
}

/* docs/api.md 1.6, 4.4: values that are not read are not validated, wherever they are. */
static void
members_are_dropped(void **state UNUSED)
{
	static const struct accepted cases[] = {
		{ JSON, SLICE("{\"custom_fields\":{\"_a\":\"\\u0000\",\"_b\":{\"c\":[1e999]},\"_\\ud83d\":1,\"d\":1}}"),
		    "custom_fields[d]=1;" },
		{ JSON, SLICE("{\"Custom_Fields\":{\"_a\":[[{}]],\"d\":{\"_e\":2}},\"_f\":1}"), "Custom_Fields[d][_e]=2;" },
		{ JSON, SLICE("{\"other\":{\"_a\":1}}"), "other[_a]=1;" },
		{ FORM, SLICE("custom_fields[_a]=%00&custom_fields[_b][]=%FF&custom_fields[d]=1"), "custom_fields[d]='1';" },
	};
	assert_accepted(cases, ARRAY_SIZE(cases));
	assert_false(parse(SLICE_NONE, JSON, SLICE("{\"custom_fields\":{\"_a\":1,\"d\":1e999}}")));
	assert_problem(HTTP_INVALID_PARAMETER, "Parameter custom_fields[d] must be a number that a double can hold");
}

static void
dropped_names_do_not_count(void **state UNUSED)
{
	const struct http_caps caps = { 3, 1, 4, 4, 1, 1 };
	static const struct slice bodies[] = {
		SLICE("{\"_long_name\":\"long value\",\"_a\":[1,2,3],\"_b\":2,\"_c\":3,\"x\":1}"),
		SLICE("_long_name=long+value&_a[]=1&_a[]=2&_b=1&_c=1&x=1"),
	};
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		assert_true(parse_within(caps, SLICE_NONE, NULL, bodies[i]));
		assert_int_equal(http_params_count(params), 1);
	}
}

static void
informing_texts_are_made_valid(void **state UNUSED)
{
	static const struct accepted cases[] = {
		{ FORM, SLICE("__url=+a%00b%07%7Fcd+"), "__url='abcd';" },
		{ FORM, SLICE("__url=a%FF%C3"), "__url='a\xc3\xbf\xc3\x83';" },
		{ FORM, SLICE("__url=a%0D%0Ab%0Dc%0D%00%0A"), "__url='a\nb\nc';" },
		{ FORM, SLICE("__url=%00"), "__url='';" },
		{ FORM, SLICE("ip[]=a&ip[]=%00b"), "ip=['a','b',];" },
		{ JSON, SLICE("{\"__url\":\"a\\u001bb\\ud83d\\ude00\"}"), "__url='ab\xf0\x9f\x98\x80';" },
		{ JSON, SLICE("{\"__url\":1e999,\"x\":1}"), "__url='1e999';x=1;" },
		{ JSON, SLICE("{\"__url\":\"a\",\"__url\":{\"b\":1}}"), "__url='a';" },
		{ JSON, SLICE("{\"ip\":[\"a\",{\"b\":[1]},[2],null,\"c\"],\"x\":1}"), "ip=['a',null,'c',];x=1;" },
		{ MULTIPART, SLICE(PART("__url", "a\0b") END), "__url='ab';" },
		{ JSON, SLICE("{\"__url\":\"a\\ud83d\",\"x\":1}"), "__url='a';x=1;" },
		{ JSON, SLICE("{\"__url\":\"\\udc00a\\ud83d\\u0041\\ud83d\\ude00\"}"), "__url='aA\xf0\x9f\x98\x80';" },
		{ JSON, SLICE("{\"ip\":[\"\\ud83d\",\"b\\ud83d\"]}"), "ip=['','b',];" },
		{ JSON, SLICE("{\"utm_a\":\"\\ud83d\",\"_b\":\"\xff\",\"_\\ud83d\":{\"\xff\":\"\\ud83d\"},\"x\":1}"),
		    "utm_a='';x=1;" },
	};
	assert_accepted(cases, ARRAY_SIZE(cases));
	assert_true(parse(SLICE("__url=a%00b"), NULL, SLICE_NONE));
	assert_params("__url='ab';");
}

static void
informing_texts_are_cut_at_a_character(void **state UNUSED)
{
	const struct http_caps caps = { 3, 3, 9, 5, 2, 5 };
	static const struct {
		struct slice body;
		const char *text, *whole;
	} cases[] = {
		{ SLICE("__url=abcde"), "abcde", "abcde" },
		{ SLICE("__url=abcdef"), "abcde", "abcdef" },
		{ SLICE("__url=abcd%C3%A4"), "abcd", "abcd\xc3\xa4" },
		{ SLICE("__url=abc%C3%A4e"), "abc\xc3\xa4",
		    "abc\xc3\xa4"
		    "e" },
		{ SLICE("__url=ab%F0%9F%98%80e"), "ab",
		    "ab\xf0\x9f\x98\x80"
		    "e" },
		{ SLICE("__url=abc++def"), "abc", "abc  def" },
		{ SLICE("__url=%00%00%00%00%00%00abcde"), "abcde", "abcde" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(parse_within(caps, SLICE_NONE, FORM, cases[i].body));
		const struct http_value *value = http_params_value(params, SLICE("__url"));
		assert_slice(value->text, cases[i].text);
		assert_slice(http_value_whole(value), cases[i].whole);
	}
	/* arrays are also cut, and never fail */
	assert_true(parse_within(caps, SLICE_NONE, JSON, SLICE("{\"ip\":[1,2,3,4,5,6,7,8,9]}")));
	assert_params("ip=['1','2',];");
}

static void
optional_values_are_left_out(void **state UNUSED)
{
	const struct http_caps caps = { 3, 9, 9, 5, 9, 9 };
	static const struct slice left_out[] = { SLICE("{\"utm_a\":{\"b\":1}}"), SLICE("{\"utm_a\":[\"b\"]}"),
		SLICE("{\"utm_a\":[{}]}"), SLICE("{\"utm_a\":[]}"), SLICE("{\"utm_long_name\":\"b\"}"),
		SLICE("{\"utm_a\":\"longer\"}"), SLICE("{\"utm_a\":1e999}"), SLICE("utm_a[]=b"), SLICE("utm_a=longer"),
		SLICE("utm_long_name=a") };
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
		assert_true(parse_within(caps, SLICE_NONE, NULL, left_out[i]));
		assert_params("");
	}
	assert_true(parse_within(caps, SLICE("utm_a=q"), NULL, SLICE("{\"utm_a\":{},\"utm_b\":\"five5\"}")));
	assert_params("utm_a='q';utm_b='five5';");
	/* a full table */
	assert_true(parse_within((struct http_caps){ 2, 1, 9, 9, 9, 9 }, SLICE_NONE, FORM, SLICE("a=1&utm_a=2&ip=1")));
	assert_params("a='1';");
}

static void
objects_become_one_field_for_each_leaf(void **state UNUSED)
{
	static const struct accepted cases[] = {
		{ JSON, SLICE("{\"a\":{\"b\":\"x\",\"c\":{\"d\":1.0,\"e\":null}},\"f\":true}"),
		    "a[b]='x';a[c][d]=1.0;a[c][e]=null;f=true;" },
		{ JSON, SLICE("{\"a\":{\"b\":[1,\"x\"],\"c\":[]}}"), "a[b]=[1,'x',];a[c]=[];" },
		{ JSON, SLICE("{\"i\":[{\"a\":1},{\"a\":2,\"b\":[3]}],\"c\":4}"), "i[0][a]=1;i[1][a]=2;i[1][b]=[3,];c=4;" },
		{ JSON, SLICE("{\"i\":[1,{\"a\":2},3,[4],[]]}"), "i=[1,3,];i[1][a]=2;i[3]=[4,];i[4]=[];" },
		{ JSON, SLICE("{\"i\":[[{\"a\":1}]],\"c\":2}"), "i[0][0][a]=1;c=2;" },
		{ JSON, SLICE("{\"a\":{},\"b\":[{}],\"c\":{\"d\":{}},\"e\":1}"), "e=1;" },
		{ JSON, SLICE("{\"a\":{\"b\":1},\"a\":{\"b\":[2]},\"a[b]\":3}"), "a[b]=3;" },
		{ JSON, SLICE("{\"a\":{\"email\":\"x\",\"_b\":1,\"utm_c\":2}}"), "a[email]='x';a[_b]=1;a[utm_c]=2;" },
		{ JSON, SLICE("{\"custom_fields\":{\"a\":1,\"b\":{\"c\":[2]}}}"),
		    "custom_fields[a]=1;custom_fields[b][c]=[2,];" },
		{ FORM, SLICE("custom_fields[a]=1&custom_fields[b][]=2&a[b]=3"),
		    "custom_fields[a]='1';custom_fields[b]=['2',];a[b]='3';" },
	};
	assert_accepted(cases, ARRAY_SIZE(cases));
}

/* The caps and rules of names and values also apply to leaves. */
static void
leaves_are_checked(void **state UNUSED)
{
	const struct http_caps caps = { 3, 3, 6, 4, 2, 6 };
	static const struct {
		struct slice body;
		enum http_problem_kind kind;
		const char *message; /* NULL: accepted */
	} cases[] = {
		{ SLICE("{\"a\":{\"bcd\":1}}"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE("{\"a\":{\"bcde\":1}}"), HTTP_INVALID_PARAMETER, "name is longer than 6 bytes" },
		{ SLICE("{\"a\":{\"bcde\":{}}}"), HTTP_INVALID_PARAMETER, "name is longer than 6 bytes" },
		{ SLICE("{\"a\":[{\"b\":1}]}"), HTTP_INVALID_PARAMETER, "name is longer than 6 bytes" },
		{ SLICE("{\"custom_fields\":{\"bcdefg\":1}}"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE("{\"CUSTOM_FIELDS[bcdefg]\":1}"), HTTP_INVALID_PARAMETER, NULL },
		{ SLICE("{\"custom_fields\":{\"bcdefgh\":1}}"), HTTP_INVALID_PARAMETER, "name is longer than 6 bytes" },
		{ SLICE("{\"custom_fieldsx\":1}"), HTTP_INVALID_PARAMETER, "name is longer than 6 bytes" },
		{ SLICE("{\"a\":{\"b\":\"12345\"}}"), HTTP_INVALID_PARAMETER, "Parameter a[b] is longer than 4 bytes" },
		{ SLICE("{\"a\":{\"b\":[1,2,3]}}"), HTTP_TOO_MANY_ITEMS, "Parameter a[b] has more than 2 items" },
		{ SLICE("{\"a\":{\"b\":1,\"c\":2,\"d\":3,\"e\":4}}"), HTTP_INVALID_PARAMETER, "more than 3 parameters" },
		{ SLICE("{\"a\":{\"b\":1,\"b\":1,\"b\":1,\"b\":1,\"b\":1,\"b\":1,\"b\":1}}"), HTTP_INVALID_PARAMETER,
		    "more than 6 values" },
		{ SLICE("{\"\":{\"b\":1}}"), HTTP_INVALID_PARAMETER, "no name" },
		{ SLICE("{\"a\":{\"b\":{\"c\":{\"d\":1}}}}"), HTTP_INVALID_JSON, "nested too deeply" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (parse_within(caps, SLICE_NONE, JSON, cases[i].body) != (cases[i].message == NULL))
			fail_msg("%.*s: %.*s", SLICE_ARGS(cases[i].body), SLICE_ARGS(problem.message));
		if (cases[i].message != NULL)
			assert_problem(cases[i].kind, cases[i].message);
	}
}

static void
empty_file_parts_are_left_out(void **state UNUSED)
{
	static const struct accepted cases[] = {
		{ MULTIPART, SLICE(PART("a\"; filename=\"", "") PART("b", "1") END), "b='1';" },
		{ MULTIPART,
		    SLICE("--XX\r\nContent-Disposition: form-data; name=\"email\"; filename=\"\"\r\n"
			  "Content-Type: application/octet-stream\r\n\r\n\r\n--XX--"),
		    "" },
	};
	assert_accepted(cases, ARRAY_SIZE(cases));
}

static bool
any(void *context UNUSED, const struct http_param *param UNUSED)
{
	return true;
}

static void
the_whole_url_is_merged(void **state UNUSED)
{
	const struct http_caps caps = { 3, 9, 9, 12, 9, 9 };
	assert_true(parse_within(caps, SLICE_NONE, FORM, SLICE("__url=http://x/%3Fa%3D1%26b%3D23456%26_c%3D7")));
	const struct http_value *url = http_params_value(params, SLICE("__url"));
	assert_slice(url->text, "http://x/?a=");
	http_params_merge_url(params, http_value_whole(url), any, NULL);
	assert_params("__url='http://x/?a=';a='1';b='23456';");
}

/* The cost of a body with a megabyte of ignored values, or of many names. */
struct cost {
	size_t kib;
	int64_t ms;
};

static struct cost
cost_of(const char *type, const char *before, const char *each, const char *after)
{
	enum { BYTES = 1024 * 1024 };
	struct buffer body;
	buffer_init(&body, BYTES + 100);
	buffer_add_text(&body, before);
	while (body.size < BYTES)
		buffer_add_text(&body, each);
	buffer_add_text(&body, after);
	pool_reset(pool);
	(void)memory_freed();
	const int64_t begun_ms = clock_monotonic_ms();
	if (parse(SLICE_NONE, type, buffer_slice(&body)) && http_params_value(params, SLICE("__url")) != NULL)
		http_params_merge_url(params, http_value_whole(http_params_value(params, SLICE("__url"))), any, NULL);
	const int64_t ms = clock_monotonic_ms() - begun_ms;
	pool_reset(pool);
	buffer_free(&body);
	return (struct cost){ memory_freed() / 1024, ms };
}

static void
a_megabyte_costs_little_memory(void **state UNUSED)
{
	enum { KIB_MAX = 12 * 1024 };
	static const struct {
		const char *type, *before, *each, *after;
	} bodies[] = {
		{ JSON, "{\"\":1,", "\"_a\":1,", "\"x\":1}" },
		{ JSON, "{\"\":1,\"a\":[", "{},", "1]}" },
		{ JSON, "{", "\"_a\":1,", "\"x\":1}" },
		{ JSON, "{", "\"_a\":{\"b\":[1]},", "\"x\":1}" },
		{ JSON, "{\"_a\":[", "{},", "1]}" },
		{ JSON, "{\"a\":[", "{},", "1]}" },
		{ JSON, "{\"a\":[", "[],", "1]}" },
		{ JSON, "{\"a\":[", "{\"b\":{\"c\":1}},", "1]}" },
		{ JSON, "{", "\"a\":{\"b\":[1]},", "\"x\":1}" },
		{ JSON, "{", "\"ip\":[1],", "\"x\":1}" },
		{ JSON, "{\"ip\":[", "1,", "1]}" },
		{ JSON, "{", "\"utm_a\":{},", "\"x\":1}" },
		{ JSON, "{\"__url\":\"", "\\u0000", "\"}" },
		{ JSON, "{\"__url\":\"", "a", "\"}" },
		{ FORM, "", "_a=&", "x=1" },
		{ FORM, "", "%5Fa=&", "x=1" },
		{ FORM, "", "utm_%FF=&", "x=1" },
		{ FORM, "", "ip=&", "x=1" },
		{ FORM, "__url=?", "%26a=%FF", "" },
		{ FORM, "__url=?", "%26a=%2541", "" },
		{ FORM, "__url=?", "a%26", "" },
		{ MULTIPART, "", PART("_a", ""), END },
	};
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		const struct cost cost = cost_of(bodies[i].type, bodies[i].before, bodies[i].each, bodies[i].after);
		print_message("# %6zu KiB %4d ms: %s\n", cost.kib, (int)cost.ms, bodies[i].each);
		if (cost.kib > KIB_MAX)
			fail_msg("a megabyte of %s takes %zu KiB", bodies[i].each, cost.kib);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unknown_internal_names_are_dropped, begin, end),
		cmocka_unit_test_setup_teardown(members_are_dropped, begin, end),
		cmocka_unit_test_setup_teardown(dropped_names_do_not_count, begin, end),
		cmocka_unit_test_setup_teardown(informing_texts_are_made_valid, begin, end),
		cmocka_unit_test_setup_teardown(informing_texts_are_cut_at_a_character, begin, end),
		cmocka_unit_test_setup_teardown(optional_values_are_left_out, begin, end),
		cmocka_unit_test_setup_teardown(objects_become_one_field_for_each_leaf, begin, end),
		cmocka_unit_test_setup_teardown(leaves_are_checked, begin, end),
		cmocka_unit_test_setup_teardown(empty_file_parts_are_left_out, begin, end),
		cmocka_unit_test_setup_teardown(the_whole_url_is_merged, begin, end),
		cmocka_unit_test_setup_teardown(a_megabyte_costs_little_memory, begin, end),
	};
	return cmocka_run_group_tests_name("http/tolerance", tests, NULL, NULL);
}
