/* SPDX-License-Identifier: MIT
 * A JSON body: one object of scalars and arrays of scalars.
 *
 * A value that does not belong is remembered, not acted on: the text is read to its end first, so that malformed JSON is
 * reported as such wherever it is malformed. */
#include "http/params_table.h"
#include "json/reader.h"

struct reading {
	struct params_source *source;
	struct slice name; /* of the parameter whose value comes; in the pool */
	bool failed;
};

static const enum http_type scalar_types[] = {
	[JSON_NULL] = HTTP_NULL,
	[JSON_BOOLEAN] = HTTP_BOOLEAN,
	[JSON_NUMBER] = HTTP_NUMBER,
	[JSON_STRING] = HTTP_STRING,
};

/* Everything inside the one object that is not a key. */
static bool
take_value(struct reading *reading, const struct json_event *event)
{
	if (event->type == JSON_ARRAY_BEGIN && event->depth == 1)
		return params_set_array(reading->source, reading->name);
	if (event->type == JSON_ARRAY_END)
		return true;
	if (event->type >= ARRAY_SIZE(scalar_types))
		return params_fail_named(reading->source, reading->name, "must be a plain value or an array of plain values");
	struct http_value scalar = { .type = scalar_types[event->type], .text = event->text, .boolean = event->boolean };
	return event->depth == 1 ? params_set(reading->source, reading->name, &scalar)
				 : params_append(reading->source, reading->name, &scalar);
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
	struct reading *reading = context;
	if (reading->failed)
		return true;
	if (event->depth == 0)
		reading->failed = event->type != JSON_OBJECT_BEGIN && event->type != JSON_OBJECT_END &&
				  !fail_json(reading->source, "it must be an object");
	else if (event->type == JSON_KEY)
		reading->name = pool_copy(reading->source->pool, event->text);
	else
		reading->failed = !take_value(reading, event);
	return true;
}

bool
params_read_json(struct params_source *source, struct slice text)
{
	struct reading reading = { .source = source };
	struct json_problem problem;
	if (!json_read(text, source->caps.depth, on_event, &reading, &problem))
		return fail_json(source, problem.message);
	return !reading.failed;
}
