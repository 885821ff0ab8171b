/* SPDX-License-Identifier: MIT
 * Parses parameters for a test, and compares the table as text, written by render_value(): name=value; with strings in
 * quotes. */
#pragma once

#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "base/buffer.h"
#include "http/params.h"

#define JSON "application/json"
#define FORM "application/x-www-form-urlencoded"
#define MULTIPART "multipart/form-data; boundary=XX"

#define PART(name, value) "--XX\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define END "--XX--\r\n"

static const struct slice collecting_names[] = { SLICE("email"), SLICE("event") };

/* `__url` and `ip` only inform; `PLAIN`, `email` and `event` are parameters; all others are fields or unknown. */
static inline enum http_name_kind
kind_of(struct slice name)
{
	if (slice_equal(name, SLICE("__url")) || slice_equal(name, SLICE("ip")))
		return HTTP_NAME_INFORMS;
	if (slice_is_one_of(name, collecting_names, ARRAY_SIZE(collecting_names)) || slice_equal(name, SLICE("PLAIN")))
		return HTTP_NAME_PARAMETER;
	if (slice_starts_with(name, SLICE("_")))
		return HTTP_NAME_DROPPED;
	return slice_starts_with(name, SLICE("utm_")) ? HTTP_NAME_OPTIONAL : HTTP_NAME_FIELD;
}

/* How the members of an object of fields are read. */
static inline enum http_name_kind
kind_of_member(struct slice name)
{
	return slice_starts_with(name, SLICE("_")) ? HTTP_NAME_DROPPED : HTTP_NAME_FIELD;
}

static const struct http_names names = {
	.collecting = collecting_names,
	.collecting_count = ARRAY_SIZE(collecting_names),
	.kind_of = kind_of,
	.fields = { "custom_fields", 13 },
	.kind_of_member = kind_of_member,
};

static struct http_params *params;
static struct http_problem problem;

static inline bool
parse_within(struct http_caps caps, struct slice query, const char *type, struct slice body)
{
	struct http_request request = { .pool = pool, .query = query, .content_type = slice_of(type), .body = body };
	params = http_params_parse_query(&request, &caps, &names);
	return http_params_parse_body(params, &request, &params, &problem);
}

static inline bool
parse(struct slice query, const char *type, struct slice body)
{
	return parse_within(HTTP_CAPS_DEFAULT, query, type, body);
}

static inline void
render_value(struct buffer *out, const struct http_value *value)
{
	switch (value->type) {
	case HTTP_NULL:
		buffer_add_text(out, "null");
		break;
	case HTTP_BOOLEAN:
		buffer_add_text(out, value->boolean ? "true" : "false");
		break;
	case HTTP_NUMBER:
		buffer_add(out, value->text);
		break;
	case HTTP_STRING:
		buffer_printf(out, "'%.*s'", SLICE_ARGS(value->text));
		break;
	case HTTP_ARRAY:
		buffer_add_byte(out, '[');
		for (size_t i = 0; i < value->item_count; i++) {
			render_value(out, &value->items[i]);
			buffer_add_byte(out, ',');
		}
		buffer_add_byte(out, ']');
		break;
	}
}

static inline void
assert_params(const char *expected)
{
	struct buffer out;
	buffer_init(&out, 10000);
	buffer_add_text(&out, "");
	for (size_t i = 0; i < http_params_count(params); i++) {
		const struct http_param *param = http_params_at(params, i);
		assert_ptr_equal(http_params_find(params, param->name), param);
		buffer_printf(&out, "%.*s=", SLICE_ARGS(param->name));
		render_value(&out, &param->value);
		buffer_add_byte(&out, ';');
	}
	assert_string_equal(buffer_slice(&out).data, expected);
	buffer_free(&out);
}

/* `message` is a part of the message, or NULL for kinds with a fixed text. */
static inline void
assert_problem(enum http_problem_kind kind, const char *message)
{
	assert_int_equal(problem.kind, kind);
	assert_int_equal(slice_present(problem.message), message != NULL);
	if (message != NULL && strstr(pool_string(pool, problem.message), message) == NULL)
		fail_msg("\"%.*s\" does not say \"%s\"", SLICE_ARGS(problem.message), message);
}
