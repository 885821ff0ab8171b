/* SPDX-License-Identifier: MIT
 * A lead as JSON: the members of a payload (docs/api.md 4.5), or others, which are custom fields. */
#include "base/buffer.h"
#include "engine/custom_fields.h"
#include "http/text.h"
#include "transfer/row.h"
#include "json/reader.h"
#include "json/writer.h"

enum { DEPTH_MAX = 16 };

struct json_row {
	struct row row;
	struct column member; /* at depth 1 */
	struct column
	    column; /* of the value at hand: the member, or a member of an object of utm parameters or custom fields */
	bool array; /* inside an array that is a custom field */
	struct buffer items;
	struct json_writer writer;
	bool stopped;
};

static bool
is_custom(enum lead_field field)
{
	return field == LEAD_CUSTOM || field == LEAD_DERIVED_NAME;
}

static bool
is_object(enum lead_field field)
{
	return field == LEAD_CUSTOM_OBJECT || field == LEAD_UTM_OBJECT;
}

static bool
stop(struct json_row *r, const char *problem)
{
	if (r->row.problem == NULL)
		r->row.problem = problem;
	r->stopped = true;
	return false;
}

static void
add_key(struct json_row *r, const struct json_event *event)
{
	if (event->depth == 1)
		r->column = r->member = column_of(r->row.pool, event->text, true);
	else if (event->depth == 2 && r->member.field == LEAD_CUSTOM_OBJECT)
		r->column = (struct column){ LEAD_CUSTOM, custom_field_name(r->row.pool, event->text) };
	else if (event->depth == 2 && r->member.field == LEAD_UTM_OBJECT)
		r->column = (struct column){ LEAD_UTM, pool_copy_lower(r->row.pool, event->text) };
}

/* Of an array. */
static bool
add_item(struct json_row *r, const struct json_event *event)
{
	struct slice text;
	if (event->type == JSON_NUMBER)
		json_raw(&r->writer, event->text);
	else if (event->type == JSON_BOOLEAN)
		json_boolean(&r->writer, event->boolean);
	else if (event->type == JSON_NULL)
		json_null(&r->writer);
	else if (http_text_normalise(r->row.pool, event->text, &text) == NULL)
		json_string(&r->writer, text);
	else
		return stop(r, "an array has control characters");
	return true;
}

static void
add_scalar(struct json_row *r, const struct json_event *event)
{
	const struct slice word = event->boolean ? SLICE("true") : SLICE("false");
	if (event->type == JSON_STRING)
		row_add(&r->row, &r->column, event->text);
	else if (event->type == JSON_NULL && r->column.field < LEAD_TEXTS)
		row_add(&r->row, &r->column, SLICE(""));
	else if (event->type == JSON_NULL)
		return;
	else if (is_custom(r->column.field))
		row_add_json(&r->row, &r->column, pool_copy(r->row.pool, event->type == JSON_NUMBER ? event->text : word));
	else
		row_add(&r->row, &r->column, event->type == JSON_NUMBER ? event->text : word);
}

static bool
begin_container(struct json_row *r, const struct json_event *event)
{
	const bool object = event->type == JSON_OBJECT_BEGIN;
	if (event->depth == 0)
		return object || stop(r, "the record is no JSON object");
	if (event->depth == 1 && r->member.field == LEAD_IGNORED)
		return true;
	if (event->depth == 1 && object && is_object(r->member.field)) {
		r->row.has_object = r->row.has_object || r->member.field == LEAD_CUSTOM_OBJECT;
		return true;
	}
	if (object || !is_custom(r->column.field) || r->array)
		return stop(r, "a value is an object or array where there must be none");
	r->array = true;
	buffer_clear(&r->items);
	json_writer_init(&r->writer, &r->items);
	json_begin_array(&r->writer);
	return true;
}

static bool
on_event(void *context, const struct json_event *event)
{
	struct json_row *r = context;
	const bool ignored = event->depth > 1 && r->member.field == LEAD_IGNORED;
	if (ignored)
		return true;
	switch (event->type) {
	case JSON_KEY:
		add_key(r, event);
		return true;
	case JSON_OBJECT_BEGIN:
	case JSON_ARRAY_BEGIN:
		return begin_container(r, event);
	case JSON_ARRAY_END:
		if (!r->array)
			return true;
		r->array = false;
		json_end_array(&r->writer);
		if (!buffer_ok(&r->items))
			return stop(r, "an array has too many bytes");
		row_add_json(&r->row, &r->column, pool_copy(r->row.pool, buffer_slice(&r->items)));
		return true;
	case JSON_OBJECT_END:
		return true;
	default:
		if (event->depth == 0)
			return stop(r, "the record is no JSON object");
		if (r->array)
			return add_item(r, event);
		add_scalar(r, event);
		return true;
	}
}

const char *
row_from_json(struct pool *pool, const struct row_limits *limits, struct slice json, struct import *import)
{
	struct json_row r = { .row = { .pool = pool, .limits = limits } };
	struct json_problem problem;
	buffer_init(&r.items, limits->value_bytes * 6);
	const bool read = json_read(json, DEPTH_MAX, on_event, &r, &problem);
	buffer_free(&r.items);
	if (!read && !r.stopped)
		return pool_printf(pool, "the record is no JSON: %s", problem.message).data;
	return r.row.problem != NULL ? r.row.problem : row_finish(&r.row, import);
}
