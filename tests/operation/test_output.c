/* SPDX-License-Identifier: MIT
 * The output of operations (docs/operating.md 4): text and JSON. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "operation/output.h"

static void
assert_printed(const struct output *output, bool json, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_true(json ? output_print_json(output, out) : output_print_text(output, out));
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void
records_are_printed_as_text_and_json(void **state)
{
	(void)state;
	static const struct slice events[] = { { "opted_out", 9 }, { "verified", 8 } };
	struct pool *pool = pool_new();
	struct output *list = output_new(pool, OUTPUT_ARRAY), *object = output_new(pool, OUTPUT_OBJECT);
	assert_true(output_is_empty(list));
	assert_printed(list, true, "[]\n");
	assert_printed(list, false, "");
	output_record(list);
	output_u64(list, "id", 7);
	output_text(list, "name", SLICE("\xc3\xa4\x1b[2J"));
	output_time(list, "at", 1795232293000);
	output_i64(list, "points", -5);
	output_texts(list, "events", events, ARRAY_SIZE(events));
	output_record(list);
	output_u64(list, "id", 1234);
	output_text(list, "name", SLICE_NONE);
	output_time(list, "at", -1);
	output_i64(list, "points", 99999);
	output_texts(list, "events", NULL, 0);
	assert_printed(list, false,
	    "id    name   at                    points  events\n"
	    "7     \xc3\xa4?[2J  2026-11-21T03:38:13Z  -5      opted_out,verified\n"
	    "1234  -      -                     99999   \n");
	output_record(object);
	output_boolean(object, "ok", false);
	output_nested(object, "findings", list);
	output_u64_or_null(object, "status", 0);
	assert_printed(object, true,
	    "{\"ok\":false,\"findings\":["
	    "{\"id\":7,\"name\":\"\xc3\xa4\\u001b[2J\",\"at\":\"2026-11-21T03:38:13Z\",\"points\":-5,\"events\":[\"opted_out\","
	    "\"verified\"]}"
	    ","
	    "{\"id\":1234,\"name\":null,\"at\":null,\"points\":99999,\"events\":[]}],\"status\":null}\n");
	assert_printed(object, false,
	    "ok        no\n"
	    "status    -\n"
	    "\nfindings:\n"
	    "id    name   at                    points  events\n"
	    "7     \xc3\xa4?[2J  2026-11-21T03:38:13Z  -5      opted_out,verified\n"
	    "1234  -      -                     99999   \n");
	pool_free(&pool);
}

/* If the JSON of a record is given, the values that are added appear in the text output alone. */
static void
a_record_may_have_given_json(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	struct output *list = output_new(pool, OUTPUT_ARRAY), *object = output_new(pool, OUTPUT_OBJECT);
	for (uint64_t id = 1; id < 3; id++) {
		output_json_record(list, id == 1 ? SLICE("{\"a\": 1}") : SLICE("{\"b\":[]}"));
		output_u64(list, "id", id);
	}
	assert_printed(list, true, "[{\"a\": 1},{\"b\":[]}]\n");
	assert_printed(list, false, "id\n1\n2\n");
	output_json_record(object, SLICE("{}"));
	output_text(object, "id", SLICE("x"));
	assert_printed(object, true, "{}\n");
	assert_printed(object, false, "id  x\n");
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_printed_as_text_and_json),
		cmocka_unit_test(a_record_may_have_given_json),
	};
	return cmocka_run_group_tests_name("operation/output", tests, NULL, NULL);
}
