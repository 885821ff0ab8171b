/* SPDX-License-Identifier: MIT */
#include "transfer/row_reader.h"

#include "base/buffer.h"
#include "engine/custom_fields.h"
#include "http/params.h"
#include "json/writer.h"

/* ---- JSON ---- */

enum { MEMBERS_MAX = 1000, ARRAY_MAX_BYTES = 1024 * 1024 };

static enum http_name_kind
kind_of(struct slice name)
{
	const enum lead_field field = lead_field_of_member(name);
	if (field == LEAD_IGNORED)
		return HTTP_NAME_DROPPED;
	if (field == LEAD_UTM)
		return HTTP_NAME_OPTIONAL;
	if (field > LEAD_UTM)
		return HTTP_NAME_FIELD;
	return lead_field_informs(field) ? HTTP_NAME_INFORMS : HTTP_NAME_PARAMETER;
}

static struct slice
array_as_json(struct pool *pool, const struct http_value *value)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, ARRAY_MAX_BYTES);
	json_writer_init(&writer, &out);
	http_value_write(value, &writer);
	return buffer_take(&out, pool);
}

static void
add_custom(struct row *row, const struct column *column, const struct http_value *value)
{
	struct slice text;
	const bool plain = http_value_string(value, &text);
	if (value->type == HTTP_STRING)
		row_add(row, column, text);
	else if (value->type != HTTP_NULL)
		row_add_json(row, column, plain ? text : array_as_json(row->pool, value));
}

/* Null counts as an empty text: a score that is null is 0. */
static void
add_own(struct row *row, const struct column *column, const struct http_param *param)
{
	struct slice text;
	if (http_value_string(&param->value, &text))
		row_add(row, column, slice_present(text) ? text : SLICE(""));
	else
		row_fail(row, param->name, "must be one value");
}

/* A member of `custom_fields`. If its name cannot be a custom field outside of this object, it is not one here either
 * (docs/api.md 4.4). */
static void
add_member(struct row *row, struct slice name, struct slice base, const struct http_value *value)
{
	row->has_object = true;
	const struct column column = { .field = LEAD_CUSTOM, .name = name };
	if (lead_field_of_member(base) == LEAD_UTM || slice_starts_with(name, SLICE("_")) || row->limits->is_reserved(base))
		return;
	if (value->type == HTTP_STRING && value->text.size == 0)
		row_add_json(row, &column, SLICE("\"\"")); /* as the API stores it */
	else
		add_custom(row, &column, value);
}

/* `tags`, an array of names, or `tags[0][name]`, a member of a tag as payloads show it; likewise for actions. Ids would be
 * those of another campaign. */
static void
add_names(struct row *row, enum lead_field field, const struct http_param *param)
{
	const struct http_value *value = &param->value;
	if (value->type == HTTP_STRING && slice_ends_with(param->name, SLICE("[name]")))
		row_add_name(row, field, value->text);
	for (size_t i = 0; value->type == HTTP_ARRAY && i < value->item_count; i++)
		if (value->items[i].type == HTTP_STRING)
			row_add_name(row, field, value->items[i].text);
}

/* PHP writes an empty array for an object without members. */
static void
require_empty(struct row *row, const struct http_param *param)
{
	const struct http_value *value = &param->value;
	if (value->type == HTTP_ARRAY ? value->item_count > 0 : value->type != HTTP_NULL && value->text.size > 0)
		row_fail(row, param->name, "must be an object");
}

/* A member of `utm`: one text or number. */
static void
add_utm(struct row *row, struct slice name, const struct http_value *value)
{
	const struct slice open = SLICE("utm[");
	struct slice text;
	const struct slice within = slice_sub(name, open.size, name.size - 1);
	if (!slice_starts_with_nocase(name, open) || slice_find(within, '[') < within.size)
		return;
	if (http_value_string(value, &text) && slice_present(text) && value->type != HTTP_BOOLEAN)
		row_add(row, &(struct column){ .field = LEAD_UTM, .name = pool_copy_lower(row->pool, within) }, text);
}

static void
add_param(struct row *row, const struct http_param *param)
{
	struct slice name, base;
	if (custom_field_member(row->pool, param->name, &name, &base)) {
		add_member(row, name, base, &param->value);
		return;
	}
	const struct column column = column_of_member(row->pool, param->name);
	const enum lead_field named = lead_field_of_member(base);
	if (named == LEAD_TAG_NAMES || named == LEAD_ACTION_TEXTS)
		add_names(row, named, param);
	else if (slice_equal(base, SLICE("utm")))
		add_utm(row, param->name, &param->value);
	else if (column.field <= LEAD_UTM)
		add_own(row, &column, param);
	else if (column.field == LEAD_CUSTOM_OBJECT)
		require_empty(row, param);
	else if (!row->limits->is_reserved(column.name))
		add_custom(row, &column, &param->value);
}

/* Adds the members of an object. Returns NULL, or what is wrong with the object. */
static const char *
add_members(struct row *row, struct slice json)
{
	const struct http_names names = { .kind_of = kind_of, .fields = SLICE(CUSTOM_FIELDS_NAME) };
	struct http_caps caps = HTTP_CAPS_DEFAULT;
	struct http_problem problem;
	caps.depth = row->limits->depth;
	caps.parameters = MEMBERS_MAX;
	caps.name_bytes = row->limits->name_bytes;
	caps.value_bytes = row->limits->value_bytes;
	struct http_params *params = http_params_new(row->pool, &caps, &names);
	if (!http_params_read_json(params, json, &problem))
		return problem.kind == HTTP_INVALID_JSON
			   ? pool_printf(row->pool, "the record is not valid JSON: %.*s", SLICE_ARGS(problem.message)).data
			   : problem.message.data;
	for (size_t i = 0; i < http_params_count(params); i++)
		add_param(row, http_params_at(params, i));
	return NULL;
}

static bool
says_no(struct pool *pool, const struct row_value *member)
{
	const struct slice name = plain_words(pool, member->name);
	const struct slice value = slice_present(member->text) ? member->text : member->json;
	const struct slice plain = plain_words(pool, value);
	return consent_value_refuses(plain) || (consent_may_be_state(name) && consent_state_refuses(plain)) ||
	       (plain.size > 0 && consent_needs_meaning(name) &&
		   column_suggest_meaning(value, plain, consent_column_of(name)) == MEANS_OPTED_OUT);
}

/* A lead without a member for opt-outs is refused if a member with another name says that it has opted out. */
static void
require_consent(struct row *row)
{
	if (row->texts[LEAD_OPTED_OUT].size > 0)
		return;
	for (size_t i = 0; i < row->custom.count; i++)
		if (says_no(row->pool, &row->custom.items[i]))
			row_fail(row, row->custom.items[i].name,
			    "says that this person must not get mail: give it a member opted_out");
}

const char *
row_from_json(
    struct pool *pool, const struct row_limits *limits, struct slice json, struct row_notes *notes, struct import *import)
{
	struct row row = row_begin(pool, limits);
	const char *problem = add_members(&row, json);
	require_consent(&row);
	if (problem == NULL)
		problem = row_finish(&row, import);
	*notes = row.notes;
	return problem;
}

/* ---- CSV ---- */

/* Spreadsheets leave out empty cells at the end of a row, or add some. */
static const char *
check_count(struct pool *pool, const struct csv_fields *fields, size_t column_count)
{
	for (size_t i = column_count; i < fields->count; i++)
		if (slice_trim(fields->items[i]).size > 0)
			return pool_printf(pool,
			    "the record has %zu fields, the heading %zu: is a text with a delimiter not in quotes?",
			    fields->count, column_count)
			    .data;
	return NULL;
}

static const char *
add_cells(struct row *row, const struct row_columns *columns, const struct csv_fields *fields)
{
	for (size_t i = 0; i < columns->count && i < fields->count; i++) {
		const struct column *column = &columns->items[i];
		const struct slice cell = csv_cell(row->pool, fields->items[i]);
		const char *problem = column->field == LEAD_OTHER_FIELDS && cell.size > 0 ? add_members(row, cell) : NULL;
		if (problem != NULL)
			return problem;
		if (column->field != LEAD_OTHER_FIELDS)
			row_add(row, column, cell);
	}
	for (size_t i = fields->count; i < columns->count; i++) /* a missing cell is an empty one, which can have a meaning */
		if (columns->items[i].rules != NULL)
			row_add(row, &columns->items[i], SLICE(""));
	return NULL;
}

const char *
row_from_csv(struct pool *pool, const struct row_limits *limits, const struct row_columns *columns,
    const struct csv_fields *fields, struct row_notes *notes, struct import *import)
{
	struct row row = row_begin(pool, limits);
	const char *problem = check_count(pool, fields, columns->count);
	if (problem == NULL)
		problem = add_cells(&row, columns, fields);
	if (problem == NULL)
		problem = row_finish(&row, import);
	*notes = row.notes;
	return problem;
}
