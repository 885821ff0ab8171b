/* SPDX-License-Identifier: MIT
 * The JSON layer (docs/architecture.md 11): accepts exactly RFC 8259; its output can be read back.
 * Modules: json/reader, json/writer. */
#include "unit.h"

#include <string.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "json/reader.h"
#include "json/writer.h"

enum { DEPTH = 16 };

#define LITERAL(text) ((struct slice){ (text), sizeof(text) - 1 })

/* Writes the text again from the events of the reader. */
static bool
copy_event(void *context, const struct json_event *event)
{
	struct json_writer *writer = context;
	switch (event->type) {
	case JSON_NULL:
		json_null(writer);
		break;
	case JSON_BOOLEAN:
		json_boolean(writer, event->boolean);
		break;
	case JSON_NUMBER:
		json_raw(writer, event->text);
		break;
	case JSON_STRING:
		json_string(writer, event->text);
		break;
	case JSON_KEY:
		json_key(writer, event->text);
		break;
	case JSON_OBJECT_BEGIN:
		json_begin_object(writer);
		break;
	case JSON_OBJECT_END:
		json_end_object(writer);
		break;
	case JSON_ARRAY_BEGIN:
		json_begin_array(writer);
		break;
	case JSON_ARRAY_END:
		json_end_array(writer);
		break;
	}
	return true;
}

static bool
copy(struct slice text, struct buffer *out, struct json_problem *problem)
{
	struct json_writer writer;
	buffer_clear(out);
	json_writer_init(&writer, out);
	return json_read(text, DEPTH, copy_event, &writer, problem) && buffer_ok(out);
}

static void
values_come_through_unchanged(void **state)
{
	(void)state;
	static const struct {
		struct slice text, again;
	} cases[] = {
		{ SLICE(" { } "), SLICE("{}") },
		{ SLICE("[1 , -0, 1e400,\t0.10]"), SLICE("[1,-0,1e400,0.10]") },
		{ SLICE("{\"a\":[],\"a\":{\"b\":null},\"\":true}"), SLICE("{\"a\":[],\"a\":{\"b\":null},\"\":true}") },
		{ SLICE("123456789012345678901234567890"), SLICE("123456789012345678901234567890") },
		{ SLICE("\"\""), SLICE("\"\"") },
		{ SLICE("\"\\u00e4\\/\\ud83d\\ude00\""), SLICE("\"\xc3\xa4/\xf0\x9f\x98\x80\"") },
		{ SLICE("\"a\\u0000b\""), SLICE("\"a\\u0000b\"") },
		{ SLICE("\"\\b\\f\\n\\r\\t\\\"\\\\\\u001F\x7f\""), SLICE("\"\\b\\f\\n\\r\\t\\\"\\\\\\u001f\x7f\"") },
		{ SLICE("\"\xe2\x80\xa8-\xe2\x80\xa9-\xe2\x80\xaa\xe2\x82\xac\""),
		    SLICE("\"\\u2028-\\u2029-\xe2\x80\xaa\xe2\x82\xac\"") },
		{ SLICE("\"\\\\ud800\""), SLICE("\"\\\\ud800\"") },
	};
	struct buffer out;
	buffer_init(&out, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_problem problem;
		assert_true(copy(cases[i].text, &out, &problem));
		assert_slices_equal(buffer_slice(&out), cases[i].again);
	}
	buffer_free(&out);
}

/* Collects names and texts, each after a '|'. */
static bool
collect_event(void *context, const struct json_event *event)
{
	if (event->type != JSON_STRING && event->type != JSON_KEY)
		return true;
	buffer_add_byte(context, '|');
	buffer_add(context, event->text);
	return true;
}

/* json_read_any_text: only strings may be invalid, which includes halves of surrogate pairs. */
static void
any_text_is_reported(void **state)
{
	(void)state;
	static const struct {
		struct slice text, found;
	} good[] = {
		{ SLICE("{\"a\":\"x\\ud83d\\ude00\"}"), SLICE("|a|x\xf0\x9f\x98\x80") },
		{ SLICE("[\"x\xff\",\"\\ud83dy\",\"\\uDC00\"]"), SLICE("|x\xff|\0y|\0") },
		{ SLICE("{\"\xc3\":\"\\\\ud83d\\\"\"}"), SLICE("|\xc3|\\ud83d\"") },
		{ SLICE("[\"\\ud83d\\ud83d\\ude00\"]"), SLICE("|\0\xf0\x9f\x98\x80") },
	};
	static const struct slice bad[] = { SLICE("\xff"), SLICE("[\"\xff\",]"), SLICE("[\"\\ud83d\",\v1]"),
		SLICE("{\xc3\xa4:1}"), SLICE("\"\\ud83"), SLICE("[\"\xff\n\"]"), SLICE("\xff\"\"") };
	struct json_problem problem;
	struct buffer out;
	buffer_init(&out, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		buffer_clear(&out);
		assert_true(json_read_any_text(good[i].text, DEPTH, collect_event, &out, &problem));
		assert_slices_equal(buffer_slice(&out), good[i].found);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(json_read_any_text(bad[i], DEPTH, collect_event, &out, &problem));
		assert_int_equal(problem.kind, JSON_PROBLEM_SYNTAX);
	}
	buffer_free(&out);
}

static void
invalid_json_is_refused(void **state)
{
	(void)state;
	static const struct {
		struct slice text;
		enum json_problem_kind kind;
		size_t from, to; /* the range of the offset */
	} cases[] = {
		{ SLICE(""), JSON_PROBLEM_SYNTAX, 0, 0 },
		{ SLICE("  "), JSON_PROBLEM_SYNTAX, 2, 2 },
		{ SLICE("{\"a\":1"), JSON_PROBLEM_SYNTAX, 6, 6 },
		{ SLICE("\"abc"), JSON_PROBLEM_SYNTAX, 4, 4 },
		{ SLICE("{\"a\" 1}"), JSON_PROBLEM_SYNTAX, 5, 6 },
		{ SLICE("[1,]"), JSON_PROBLEM_SYNTAX, 3, 4 },
		{ SLICE("[01]"), JSON_PROBLEM_SYNTAX, 2, 3 },
		{ SLICE("[1.]"), JSON_PROBLEM_SYNTAX, 3, 4 },
		{ SLICE("[+1]"), JSON_PROBLEM_SYNTAX, 1, 2 },
		{ SLICE("[NaN]"), JSON_PROBLEM_SYNTAX, 1, 2 },
		{ SLICE("['a']"), JSON_PROBLEM_SYNTAX, 1, 2 },
		{ SLICE("/* */1"), JSON_PROBLEM_SYNTAX, 0, 1 },
		{ SLICE("[1,\v2]"), JSON_PROBLEM_SYNTAX, 3, 3 },
		{ SLICE("[1,\f2]"), JSON_PROBLEM_SYNTAX, 3, 3 },
		{ SLICE("\"a\nb\""), JSON_PROBLEM_SYNTAX, 2, 3 },
		{ SLICE("\"\\x\""), JSON_PROBLEM_SYNTAX, 2, 3 },
		{ SLICE("\xef\xbb\xbf{}"), JSON_PROBLEM_SYNTAX, 0, 3 },
		{ SLICE("\"\xc0\xaf\""), JSON_PROBLEM_TEXT, 1, 1 },
		{ SLICE("\"\xed\xa0\x80\""), JSON_PROBLEM_TEXT, 1, 1 },
		{ SLICE("\"\xf4\x90\x80\x80\""), JSON_PROBLEM_TEXT, 1, 1 },
		{ SLICE("\"\xe2\x82\""), JSON_PROBLEM_TEXT, 1, 1 },
		{ SLICE("\"a\\ud800\""), JSON_PROBLEM_TEXT, 2, 2 },
		{ SLICE("\"a\\uDFFF\""), JSON_PROBLEM_TEXT, 2, 2 },
		{ SLICE("\"\\ud800\\u0041\""), JSON_PROBLEM_TEXT, 1, 1 },
		{ SLICE("\"\\ud83d\\ude00\\ud83d\""), JSON_PROBLEM_TEXT, 13, 13 },
		{ SLICE("{\"\\ud800\":1}"), JSON_PROBLEM_TEXT, 2, 2 },
		{ SLICE("{} x"), JSON_PROBLEM_TRAILING, 3, 4 },
		{ SLICE("{}{}"), JSON_PROBLEM_TRAILING, 2, 3 },
		{ SLICE("1 2"), JSON_PROBLEM_TRAILING, 2, 3 },
		{ SLICE("{}\0"), JSON_PROBLEM_TRAILING, 2, 3 },
	};
	struct buffer out;
	buffer_init(&out, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_problem problem;
		print_message("# %.*s\n", SLICE_ARGS(cases[i].text));
		assert_false(copy(cases[i].text, &out, &problem));
		assert_int_equal(problem.kind, cases[i].kind);
		assert_in_range(problem.offset, cases[i].from, cases[i].to);
		assert_non_null(strstr(problem.message, " at byte "));
	}
	buffer_free(&out);
}

static void
depth_is_limited(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, 1000);
	char text[2 * (DEPTH + 1)];
	struct json_problem problem;
	memset(text, '[', DEPTH);
	memset(text + DEPTH, ']', DEPTH);
	assert_true(copy((struct slice){ text, (size_t)2 * DEPTH }, &out, &problem));
	memset(text, '[', DEPTH + 1);
	memset(text + DEPTH + 1, ']', DEPTH + 1);
	assert_false(copy((struct slice){ text, sizeof(text) }, &out, &problem));
	assert_int_equal(problem.kind, JSON_PROBLEM_DEPTH);
	buffer_free(&out);
}

struct depths {
	size_t seen[8], count, wanted;
};

static bool
note_depth(void *context, const struct json_event *event)
{
	struct depths *depths = context;
	depths->seen[depths->count++] = event->depth;
	return depths->count < depths->wanted;
}

static void
events_carry_their_depth_and_the_handler_may_stop(void **state)
{
	(void)state;
	struct depths depths = { .wanted = 9 };
	struct json_problem problem;
	assert_true(json_read(SLICE("{\"a\":[1],\"b\":2}"), DEPTH, note_depth, &depths, &problem));
	const size_t expected[] = { 0, 1, 1, 2, 1, 1, 1, 0 };
	assert_memory_equal(depths.seen, expected, sizeof(expected));
	depths = (struct depths){ .wanted = 2 };
	assert_false(json_read(SLICE("[1,2]"), DEPTH, note_depth, &depths, &problem));
	assert_int_equal(problem.kind, JSON_PROBLEM_STOPPED);
	assert_int_equal(depths.count, 2);
}

static void
the_writer_adds_commas(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, 1000);
	struct json_writer writer;
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	json_key(&writer, SLICE("a"));
	json_begin_array(&writer);
	json_end_array(&writer);
	json_key(&writer, SLICE("b"));
	json_begin_array(&writer);
	json_u64(&writer, UINT64_MAX);
	json_i64(&writer, INT64_MIN);
	json_begin_object(&writer);
	json_end_object(&writer);
	json_string_or_null(&writer, SLICE_NONE);
	json_string(&writer, SLICE_NONE);
	json_end_array(&writer);
	json_key(&writer, SLICE("c"));
	json_raw(&writer, SLICE("{\"d\":1}"));
	json_end_object(&writer);
	assert_slices_equal(buffer_slice(&out),
	    LITERAL("{\"a\":[],\"b\":[18446744073709551615,-9223372036854775808,{},null,\"\"],\"c\":{\"d\":1}}"));
	buffer_free(&out);
}

/* Any text is accepted or refused. A text that is accepted is unchanged when it is written and read again. */
static void
random_texts_do_no_harm(void **state)
{
	(void)state;
	static const char alphabet[] = "{}[]\",:\\ud8dc0019.e-truefalsn \t\n\v\xe2\x80\xa8\xed\xa0";
	uint64_t seed = 1;
	struct buffer first, second;
	buffer_init(&first, 10000);
	buffer_init(&second, 10000);
	for (int round = 0; round < 50000; round++) {
		char text[24];
		size_t size = 0;
		for (; size < sizeof(text); size++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			if (seed >> 33 & 31)
				text[size] = alphabet[(seed >> 40) % (sizeof(alphabet) - 1)];
			else
				break;
		}
		struct json_problem problem;
		if (!copy((struct slice){ text, size }, &first, &problem))
			continue;
		assert_true(copy(buffer_slice(&first), &second, &problem));
		assert_slices_equal(buffer_slice(&second), buffer_slice(&first));
	}
	buffer_free(&first);
	buffer_free(&second);
}

/* Tests both functions that write a key, and an object that continues another one. */
static void
literal_keys_are_written_like_others(void **state)
{
	(void)state;
	struct buffer keys, names, more;
	struct json_writer by_key, by_name, longer;
	buffer_init(&keys, 1000);
	buffer_init(&names, 1000);
	buffer_init(&more, 1000);
	json_writer_init(&by_key, &keys);
	json_writer_init(&by_name, &names);
	json_begin_object(&by_key);
	json_begin_object(&by_name);
	for (uint64_t i = 0; i < 3; i++) {
		json_key(&by_key, SLICE("a key"));
		json_u64(&by_key, i);
		json_name(&by_name, SLICE("a key"));
		json_u64(&by_name, i);
	}
	json_end_object(&by_key);
	json_end_object(&by_name);
	assert_slices_equal(buffer_slice(&names), buffer_slice(&keys));
	json_writer_init(&longer, &more);
	json_begin_array(&longer);
	json_null(&longer);
	json_begin_object_with(&longer, buffer_slice(&names));
	json_name(&longer, SLICE("b"));
	json_null(&longer);
	json_end_object(&longer);
	json_end_array(&longer);
	assert_slice(buffer_slice(&more), "[null,{\"a key\":0,\"a key\":1,\"a key\":2,\"b\":null}]");
	/* a key that does not fit adds nothing */
	buffer_free(&more);
	buffer_init(&more, 6);
	json_writer_init(&longer, &more);
	json_begin_object(&longer);
	json_name(&longer, SLICE("abc"));
	assert_false(buffer_ok(&more));
	assert_slice(buffer_slice(&more), "{");
	buffer_free(&keys);
	buffer_free(&names);
	buffer_free(&more);
}

static void
characters_of_two_and_three_bytes_become_escapes(void **state)
{
	static const struct {
		struct slice json;
		const char *expected;
	} cases[] = {
		{ SLICE(""), "" },
		{ SLICE("{\"a\":\"b\\n\"}"), "{\"a\":\"b\\n\"}" },
		{ SLICE("\"\xc2\x80\xc3\xa9\xe2\x80\xa8\xef\xbf\xbf\""), "\"\\u0080\\u00e9\\u2028\\uffff\"" },
		{ SLICE("\xf0\x90\x80\x80\xf0\x9f\x98\x80x\xc3\xa9\xf4\x8f\xbf\xbf"),
		    "\xf0\x90\x80\x80\xf0\x9f\x98\x80x\\u00e9\xf4\x8f\xbf\xbf" },
		{ SLICE("a\xff\xc3"), "a\xff\xc3" },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buffer out;
		buffer_init(&out, 1000);
		json_write_escaped(&out, cases[i].json);
		assert_slice(buffer_slice(&out), cases[i].expected);
		buffer_free(&out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_through_unchanged),
		cmocka_unit_test(any_text_is_reported),
		cmocka_unit_test(invalid_json_is_refused),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(events_carry_their_depth_and_the_handler_may_stop),
		cmocka_unit_test(the_writer_adds_commas),
		cmocka_unit_test(literal_keys_are_written_like_others),
		cmocka_unit_test(characters_of_two_and_three_bytes_become_escapes),
		cmocka_unit_test(random_texts_do_no_harm),
	};
	return cmocka_run_group_tests_name("json/json", tests, NULL, NULL);
}
