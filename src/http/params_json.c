/* SPDX-License-Identifier: MIT
 * A JSON body: one object of scalars and arrays of scalars. Fields may contain nested objects and arrays: each leaf becomes a
 * parameter with the name that a form would use, such as `address[city]` or `items[0][name]`.
 *
 * An invalid value is reported only at the end of the text, so that malformed JSON is always reported as such, wherever the
 * error is. */
#include <string.h>

#include "base/encode.h"
#include "http/http_text.h"
#include "http/params_table.h"
#include "json/reader.h"

/* An open container. */
struct level {
	size_t name_size; /* of the container's own name */
	size_t next;      /* of an array: the index of the next item */
	bool is_array;
	bool has_values; /* of an array: it contains scalars, the values of the parameter with its name */
};

struct json_parser {
	struct params_source *source;
	char *name; /* of the next value; the array's name for an item */
	size_t name_size, name_capacity;
	struct level *levels; /* by their depth */
	size_t skipped;       /* depth of the container whose contents are ignored; 0: none */
	bool failed;
};

static const enum http_type scalar_types[] = {
	[JSON_NULL] = HTTP_NULL,
	[JSON_BOOLEAN] = HTTP_BOOLEAN,
	[JSON_NUMBER] = HTTP_NUMBER,
	[JSON_STRING] = HTTP_STRING,
};

static struct slice
name_of(const struct json_parser *parser)
{
	return (struct slice){ parser->name, parser->name_size };
}

/* Appends a text to the name. If that is too long, it is cut at a length that is still too long, so that it is refused. */
static void
add_to_name(struct json_parser *parser, struct slice text)
{
	text = slice_sub(text, 0, parser->name_capacity - parser->name_size);
	memcpy(parser->name + parser->name_size, text.data, text.size);
	parser->name_size += text.size;
}

static void
add_index(struct json_parser *parser, size_t index)
{
	char digits[DECIMAL_SIZE];
	add_to_name(parser, SLICE("["));
	add_to_name(parser, encode_decimal(index, digits));
	add_to_name(parser, SLICE("]"));
}

static void
read_key(struct json_parser *parser, const struct json_event *event)
{
	struct slice key = http_name_clean(parser->source->pool, event->text);
	parser->name_size = parser->levels[event->depth - 1].name_size;
	if (event->depth == 1) {
		add_to_name(parser, key);
		(void)!params_begin(parser->source, key);
		return;
	}
	key = pool_with_paired_brackets(parser->source->pool, key); /* so that the name can be read in only one way */
	add_to_name(parser, SLICE("["));
	add_to_name(parser, key);
	add_to_name(parser, SLICE("]"));
	if (event->depth == 2)
		params_begin_member(parser->source, (struct slice){ parser->name, parser->levels[1].name_size }, key);
}

static bool
read_scalar(struct json_parser *parser, const struct json_event *event)
{
	struct level *level = &parser->levels[event->depth - 1];
	struct http_value scalar = { .type = scalar_types[event->type], .text = event->text, .boolean = event->boolean };
	if (!level->is_array)
		return params_set(parser->source, name_of(parser), &scalar);
	parser->name_size = level->name_size;
	level->next++;
	if (!level->has_values && !params_set_array(parser->source, name_of(parser)))
		return false;
	level->has_values = true;
	return params_append(parser->source, name_of(parser), &scalar);
}

/* Whether the contents of a container are read: those of any container in a field, otherwise only those of an array that is a
 * parameter. */
static bool
has_contents(enum http_name_kind kind, const struct json_event *event)
{
	if (kind == HTTP_NAME_PARAMETER || kind == HTTP_NAME_INFORMS)
		return event->type == JSON_ARRAY_BEGIN && event->depth == 1;
	return kind == HTTP_NAME_FIELD;
}

static bool
begin_container(struct json_parser *parser, const struct json_event *event)
{
	const bool is_array = event->type == JSON_ARRAY_BEGIN;
	struct level *outer = &parser->levels[event->depth - 1];
	if (outer->is_array)
		parser->name_size = outer->name_size;
	if (!has_contents(parser->source->kind, event)) {
		parser->skipped = event->depth;
		outer->next++;
		return parser->source->kind != HTTP_NAME_PARAMETER ||
		       params_fail_named(parser->source, name_of(parser), "must be a plain value or an array of plain values");
	}
	if (outer->is_array)
		add_index(parser, outer->next++);
	parser->levels[event->depth] = (struct level){ .name_size = parser->name_size, .is_array = is_array };
	return params_check_name(parser->source, name_of(parser));
}

static bool
end_container(struct json_parser *parser, const struct json_event *event)
{
	const struct level *level = &parser->levels[event->depth];
	parser->name_size = level->name_size;
	return !level->is_array || level->next > 0 || params_set_array(parser->source, name_of(parser));
}

/* Handles an event inside the top-level object. */
static bool
take(struct json_parser *parser, const struct json_event *event)
{
	switch (event->type) {
	case JSON_KEY:
		read_key(parser, event);
		return true;
	case JSON_OBJECT_BEGIN:
	case JSON_ARRAY_BEGIN:
		return begin_container(parser, event);
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		return end_container(parser, event);
	case JSON_STRING:
	case JSON_NULL:
	case JSON_BOOLEAN:
	case JSON_NUMBER:
		break;
	}
	return read_scalar(parser, event);
}

static bool
on_event(void *context, const struct json_event *event)
{
	struct json_parser *parser = context;
	if (parser->failed)
		return true;
	if (parser->skipped > 0) {
		if (event->depth == parser->skipped)
			parser->skipped = 0; /* the skipped container ends */
		return true;
	}
	if (event->depth == 0)
		parser->failed = event->type != JSON_OBJECT_BEGIN && event->type != JSON_OBJECT_END &&
				 !params_fail(parser->source, HTTP_INVALID_JSON, "it must be an object");
	else
		parser->failed = !take(parser, event);
	return true;
}

bool
params_read_json(struct params_source *source, struct slice text)
{
	const size_t longest = source->caps.name_bytes + source->params->names.fields.size + sizeof("[]");
	struct json_parser parser = {
		.source = source,
		.name = pool_bytes(source->pool, longest),
		.name_capacity = longest,
		.levels = POOL_ARRAY(source->pool, source->caps.depth + 1, struct level),
	};
	struct json_problem problem;
	if (!json_read_any_text(text, source->caps.depth, on_event, &parser, &problem))
		return params_fail(source, HTTP_INVALID_JSON, problem.message);
	return !parser.failed;
}
