/* SPDX-License-Identifier: MIT
 * JSON: accepted text is well formed and within the limits, and the same when written and read again; as a body, and as a
 * payload that becomes a form (docs/api.md 1; docs/deliveries.md 2). */
#include "base/utf8.h"
#include "json/reader.h"
#include "json/writer.h"
#include "params_rules.h"
#include "webhook/form.h"

enum { DEPTH = 6, WRITTEN_MAX = 16 * 1024 * 1024 };

/* The open containers, and the text written so far. */
struct echo {
	struct json_writer writer;
	struct buffer out;
	bool is_object[DEPTH];
	size_t depth;
	bool has_key;
};

static void
open_container(struct echo *echo, bool object)
{
	REQUIRE(echo->depth < DEPTH);
	echo->is_object[echo->depth++] = object;
	if (object)
		json_begin_object(&echo->writer);
	else
		json_begin_array(&echo->writer);
}

static void
close_container(struct echo *echo, bool object)
{
	REQUIRE(echo->depth > 0 && echo->is_object[--echo->depth] == object);
	if (object)
		json_end_object(&echo->writer);
	else
		json_end_array(&echo->writer);
}

static void
write_event(struct echo *echo, const struct json_event *event)
{
	switch (event->type) {
	case JSON_NULL:
		json_null(&echo->writer);
		break;
	case JSON_BOOLEAN:
		json_boolean(&echo->writer, event->boolean);
		break;
	case JSON_NUMBER:
		json_raw(&echo->writer, event->text);
		break;
	case JSON_STRING:
		json_string(&echo->writer, event->text);
		break;
	case JSON_KEY:
		json_key(&echo->writer, event->text);
		break;
	case JSON_OBJECT_BEGIN:
	case JSON_ARRAY_BEGIN:
		open_container(echo, event->type == JSON_OBJECT_BEGIN);
		break;
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		close_container(echo, event->type == JSON_OBJECT_END);
		break;
	}
}

static bool
on_event(void *context, const struct json_event *event)
{
	struct echo *echo = context;
	bool has_text = event->type == JSON_NUMBER || event->type == JSON_STRING || event->type == JSON_KEY;
	bool ends = event->type == JSON_OBJECT_END || event->type == JSON_ARRAY_END;
	bool in_object = echo->depth > 0 && echo->is_object[echo->depth - 1];
	REQUIRE(event->depth == echo->depth - (ends ? 1 : 0));
	REQUIRE(!has_text || (slice_present(event->text) && utf8_valid(event->text)));
	/* in an object keys and values alternate */
	REQUIRE(echo->has_key == (in_object && !ends && event->type != JSON_KEY));
	echo->has_key = event->type == JSON_KEY;
	write_event(echo, event);
	return true;
}

static bool
read_and_write(struct slice text, struct echo *echo)
{
	struct json_problem problem;
	*echo = (struct echo){ .depth = 0 };
	buffer_init(&echo->out, WRITTEN_MAX);
	json_writer_init(&echo->writer, &echo->out);
	bool valid = json_read(text, DEPTH, on_event, echo, &problem);
	REQUIRE(!valid || echo->depth == 0);
	REQUIRE(valid || problem.kind != JSON_PROBLEM_STOPPED);
	REQUIRE(valid || (problem.offset <= text.size && utf8_valid(slice_of(problem.message))));
	return valid;
}

/* The text is also valid JavaScript, and a single line of a log. */
static void
require_plain(struct slice json)
{
	uint32_t character;
	while (utf8_next(&json, &character))
		REQUIRE(character >= ' ' && character != 0x2028 && character != 0x2029);
	REQUIRE(json.size == 0);
}

static void
require_form(struct pool *pool, struct slice json, bool brackets)
{
	struct slice form;
	if (!form_encode(pool, json, brackets ? FORM_UNNUMBERED : FORM_NUMBERED, &form))
		return;
	for (size_t i = 0; i < form.size; i++) {
		char c = form.data[i];
		REQUIRE(ascii_is_alpha(c) || ascii_is_digit(c) || slice_find(SLICE("-._~%=&+"), c) < 8);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice text = fuzz_input(data, size);
	struct echo first, second;
	struct http_params *params;
	if (read_and_write(text, &first)) {
		require_plain(buffer_slice(&first.out));
		REQUIRE(read_and_write(buffer_slice(&first.out), &second));
		REQUIRE(slice_equal(buffer_slice(&first.out), buffer_slice(&second.out)));
		require_form(pool, buffer_slice(&first.out), false);
		require_form(pool, buffer_slice(&first.out), true);
		buffer_free(&second.out);
	}
	buffer_free(&first.out);
	require_params(pool, SLICE(""), SLICE("application/json"), text, &params);
	pool_free(&pool);
	return 0;
}
