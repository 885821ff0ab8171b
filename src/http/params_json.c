/* SPDX-License-Identifier: MIT
 * A JSON body: one object of scalars and arrays of scalars.
 *
 * An invalid value is reported only at the end of the text, so that malformed JSON is always reported as such, wherever the
 * error is. */
#include "http/params_table.h"
#include "json/reader.h"

struct json_parser {
	struct params_source *source;
	struct slice name; /* of the parameter whose value is next; in the pool */
	bool failed;
};

static const enum http_type scalar_types[] = {
	[JSON_NULL] = HTTP_NULL,
	[JSON_BOOLEAN] = HTTP_BOOLEAN,
	[JSON_NUMBER] = HTTP_NUMBER,
	[JSON_STRING] = HTTP_STRING,
};

/* Handles everything inside the object except keys. */
static bool
take_value(struct json_parser *parser, const struct json_event *event)
{
	if (event->type == JSON_ARRAY_BEGIN && event->depth == 1)
		return params_set_array(parser->source, parser->name);
	if (event->type == JSON_ARRAY_END)
		return true;
	if (event->type >= ARRAY_SIZE(scalar_types))
		return params_fail_named(parser->source, parser->name, "must be a plain value or an array of plain values");
	struct http_value scalar = { .type = scalar_types[event->type], .text = event->text, .boolean = event->boolean };
	return event->depth == 1 ? params_set(parser->source, parser->name, &scalar)
				 : params_append(parser->source, parser->name, &scalar);
}

static bool
fail_json(struct params_source *source, const char *where)
{
	return params_fail(
	    source, HTTP_INVALID_JSON, pool_printf(source->pool, "Please verify your JSON payload: %s", where).data);
}

static bool
on_event(void *context, const struct json_event *event)
{
	struct json_parser *parser = context;
	if (parser->failed)
		return true;
	if (event->depth == 0)
		parser->failed = event->type != JSON_OBJECT_BEGIN && event->type != JSON_OBJECT_END &&
				 !fail_json(parser->source, "it must be an object");
	else if (event->type == JSON_KEY)
		parser->name = pool_copy(parser->source->pool, event->text);
	else
		parser->failed = !take_value(parser, event);
	return true;
}

bool
params_read_json(struct params_source *source, struct slice text)
{
	struct json_parser parser = { .source = source };
	struct json_problem problem;
	if (!json_read(text, source->caps.depth, on_event, &parser, &problem))
		return fail_json(source, problem.message);
	return !parser.failed;
}
