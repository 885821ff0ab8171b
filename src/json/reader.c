/* SPDX-License-Identifier: MIT
 * yajl's parser, after a scan for input that yajl wrongly accepts: \v and \f as white space, overlong forms and encoded
 * surrogates as UTF-8, and half of a surrogate pair, which it turns into '?' or another character. Quotes and backslashes occur
 * only in strings, so the scan needs no other grammar to find every escape of a well-formed text. yajl refuses any text that
 * misleads the scan. */
#include "json/reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/pool.h"
#include "base/utf8.h"

#define NO_CHARACTER "\\u0000"

enum { ESCAPE_SIZE = sizeof(NO_CHARACTER) - 1 };

struct json_parse {
	json_handler *handler;
	void *context;
	size_t depth, maximum_depth;
	bool complete; /* the top-level value has ended */
	bool too_deep;
};

static bool
fail(struct json_problem *problem, enum json_problem_kind kind, size_t offset, const char *message)
{
	problem->kind = kind;
	problem->offset = offset;
	snprintf(problem->message, sizeof(problem->message), "%s at byte %zu", message, offset);
	return false;
}

/* The code unit of the \uXXXX at `at`; -1 if there is none. */
static long
escaped_unit(struct slice text, size_t at)
{
	struct slice escape = slice_sub(text, at, at + ESCAPE_SIZE);
	if (escape.size != ESCAPE_SIZE || escape.data[0] != '\\' || escape.data[1] != 'u')
		return -1;
	long unit = 0;
	for (size_t i = 2; i < ESCAPE_SIZE; i++) {
		int digit = ascii_hex_digit(escape.data[i]);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static bool
is_high_surrogate(long unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool
is_low_surrogate(long unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/* The size of the escape at `at`; 0 if it is half of a surrogate pair. */
static size_t
escape_size(struct slice text, size_t at)
{
	long unit = escaped_unit(text, at);
	if (is_high_surrogate(unit))
		return is_low_surrogate(escaped_unit(text, at + ESCAPE_SIZE)) ? 2 * ESCAPE_SIZE : 0;
	return is_low_surrogate(unit) ? 0 : sizeof("\\\"") - 1;
}

/* Half of a surrogate pair becomes U+0000 in `copy`, a copy of the text; if that is NULL, it is an error. */
static bool
check_escapes(struct slice text, char *copy, struct json_problem *problem)
{
	bool in_string = false;
	for (size_t at = 0, step; at < text.size; at += step) {
		char c = text.data[at];
		step = 1;
		if (c == '"')
			in_string = !in_string;
		else if (!in_string && (c == '\v' || c == '\f'))
			return fail(problem, JSON_PROBLEM_SYNTAX, at, "invalid white space");
		if (!in_string || c != '\\' || (step = escape_size(text, at)) > 0)
			continue;
		if (copy == NULL)
			return fail(problem, JSON_PROBLEM_TEXT, at, "half of a surrogate pair");
		step = ESCAPE_SIZE;
		memcpy(copy + at, NO_CHARACTER, step);
	}
	return true;
}

static bool
check_text(struct slice text, struct json_problem *problem)
{
	const size_t valid = utf8_valid_size(text);
	if (valid < text.size)
		return fail(problem, JSON_PROBLEM_TEXT, valid, "invalid UTF-8");
	const bool is_plain = slice_find(text, '\\') == text.size && slice_find(text, '\v') == text.size &&
			      slice_find(text, '\f') == text.size; /* true for most texts */
	return is_plain || check_escapes(text, NULL, problem);
}

static int
report(struct json_parse *parse, struct json_event event)
{
	event.depth = parse->depth;
	parse->complete = parse->depth == 0 && event.type != JSON_OBJECT_BEGIN && event.type != JSON_ARRAY_BEGIN;
	return parse->handler(parse->context, &event);
}

static int
report_text(void *context, enum json_type type, const char *text, size_t size)
{
	/* yajl may pass NULL for an empty string */
	return report(context, (struct json_event){ .type = type, .text = { size == 0 ? "" : text, size } });
}

static int
report_begin(struct json_parse *parse, enum json_type type)
{
	if (parse->depth == parse->maximum_depth) {
		parse->too_deep = true;
		return false;
	}
	int go_on = report(parse, (struct json_event){ .type = type });
	parse->depth++;
	return go_on;
}

static int
report_end(struct json_parse *parse, enum json_type type)
{
	parse->depth--;
	return report(parse, (struct json_event){ .type = type });
}

static int
on_null(void *context)
{
	return report(context, (struct json_event){ .type = JSON_NULL });
}

static int
on_boolean(void *context, int value)
{
	return report(context, (struct json_event){ .type = JSON_BOOLEAN, .boolean = value != 0 });
}

static int
on_number(void *context, const char *text, size_t size)
{
	return report_text(context, JSON_NUMBER, text, size);
}

static int
on_string(void *context, const unsigned char *text, size_t size)
{
	return report_text(context, JSON_STRING, (const char *)text, size);
}

static int
on_key(void *context, const unsigned char *text, size_t size)
{
	return report_text(context, JSON_KEY, (const char *)text, size);
}

static int
on_object_begin(void *context)
{
	return report_begin(context, JSON_OBJECT_BEGIN);
}

static int
on_object_end(void *context)
{
	return report_end(context, JSON_OBJECT_END);
}

static int
on_array_begin(void *context)
{
	return report_begin(context, JSON_ARRAY_BEGIN);
}

static int
on_array_end(void *context)
{
	return report_end(context, JSON_ARRAY_END);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_object_begin,
	.yajl_map_key = on_key,
	.yajl_end_map = on_object_end,
	.yajl_start_array = on_array_begin,
	.yajl_end_array = on_array_end,
};

static void *
allocate(void *context UNUSED, size_t size)
{
	return memory_realloc(NULL, size); /* yajl clears what it needs */
}

static void *
reallocate(void *context UNUSED, void *old, size_t size)
{
	return memory_realloc(old, size);
}

static void
release(void *context UNUSED, void *memory)
{
	free(memory);
}

/* Stores the reason from yajl's message, which is "parse error: unallowed token …\n": the part after the colon can be shown. */
static bool
fail_syntax(yajl_handle handle, size_t offset, struct json_problem *problem)
{
	unsigned char *text = yajl_get_error(handle, 0, NULL, 0);
	struct slice reason = slice_trim(slice_of((const char *)text));
	reason = slice_trim(slice_sub(reason, slice_find(reason, ':') + 1, reason.size));
	char message[48];
	snprintf(message, sizeof(message), "%.*s", SLICE_ARGS(reason));
	yajl_free_error(handle, text);
	return fail(problem, JSON_PROBLEM_SYNTAX, offset, message);
}

/* Parses a text that check_text has accepted. */
static bool
parse_text(struct slice text, size_t maximum_depth, json_handler *handler, void *context, struct json_problem *problem)
{
	struct json_parse parse = { .handler = handler, .context = context, .maximum_depth = maximum_depth };
	yajl_alloc_funcs allocator = { allocate, reallocate, release, NULL };
	yajl_handle handle = yajl_alloc(&callbacks, &allocator, &parse);
	if (handle == NULL)
		memory_exhausted();
	yajl_config(handle, yajl_dont_validate_strings, 1); /* check_text does this more strictly */

	size_t offset = text.size;
	yajl_status status = yajl_parse(handle, (const unsigned char *)(text.size == 0 ? "" : text.data), text.size);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	else
		offset = yajl_get_bytes_consumed(handle);

	bool done = status == yajl_status_ok;
	if (parse.too_deep)
		fail(problem, JSON_PROBLEM_DEPTH, offset, "nested too deeply");
	else if (status == yajl_status_client_canceled)
		fail(problem, JSON_PROBLEM_STOPPED, offset, "stopped");
	else if (!done && parse.complete)
		fail(problem, JSON_PROBLEM_TRAILING, offset, "something follows the value");
	else if (!done)
		fail_syntax(handle, offset, problem);
	yajl_free(handle);
	return done;
}

bool
json_read(struct slice text, size_t maximum_depth, json_handler *handler, void *context, struct json_problem *problem)
{
	return check_text(text, problem) && parse_text(text, maximum_depth, handler, context, problem);
}

bool
json_read_any_text(struct slice text, size_t maximum_depth, json_handler *handler, void *context, struct json_problem *problem)
{
	if (check_text(text, problem)) /* nearly all texts pass this */
		return parse_text(text, maximum_depth, handler, context, problem);
	char *copy = memory_alloc(text.size);
	memcpy(copy, text.data, text.size);
	const bool read = check_escapes(text, copy, problem) &&
			  parse_text((struct slice){ copy, text.size }, maximum_depth, handler, context, problem);
	explicit_bzero(copy, text.size);
	free(copy);
	return read;
}
