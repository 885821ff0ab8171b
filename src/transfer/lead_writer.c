/* SPDX-License-Identifier: MIT */
#include "transfer/lead_writer.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/custom_fields.h"
#include "engine/id_list.h"
#include "json/reader.h"
#include "json/writer.h"
#include "os/clock.h"
#include "transfer/columns.h"
#include "transfer/csv.h"

/* Names of tags and actions in a cell form a CSV record of their own, no matter what the delimiter of the file is. */
enum { CELL_MAX_BYTES = 1024 * 1024, NAMES_DELIMITER = ',' };

enum kind { TEXT, NUMBER, SWITCH, CLAIM, TIME, TAGS, ACTIONS };

#define PLACE(member) offsetof(struct lead, member)
static const struct {
	struct slice csv, json;
	enum kind kind;
	size_t offset; /* offset of the value in struct lead */
} columns[] = {
	{ SLICE("email"), SLICE("email"), TEXT, PLACE(email) },
	{ SLICE("phone_number"), SLICE("phone_number"), TEXT, PLACE(phone) },
	{ SLICE("social_id"), SLICE("social_id"), TEXT, PLACE(social_id) },
	{ SLICE("parent_id"), SLICE("parent_id"), TEXT, PLACE(parent_social_id) },
	{ SLICE("when"), SLICE("when"), TIME, PLACE(created_ms) },
	{ SLICE("subscription_number"), SLICE("subscription_number"), NUMBER, PLACE(subscription_number) },
	{ SLICE("contest_score"), SLICE("contest_score"), NUMBER, PLACE(score) },
	{ SLICE("verified_email"), SLICE("verified_email"), SWITCH, PLACE(verified_email) },
	{ SLICE("verified_phone_number"), SLICE("verified_phone_number"), SWITCH, PLACE(verified_phone) },
	{ SLICE("claimed"), SLICE("claimed"), CLAIM, PLACE(claimed) },
	{ SLICE("opted_out"), SLICE("opted_out"), SWITCH, PLACE(opted_out) },
	{ SLICE("sms_opted_out"), SLICE("sms_opted_out"), SWITCH, PLACE(sms_opted_out) },
	{ SLICE("waitlisted"), SLICE("waitlisted"), SWITCH, PLACE(waitlisted) },
	{ SLICE("fraudulent"), SLICE("fraudulent"), SWITCH, PLACE(fraudulent) },
	{ SLICE("tags"), SLICE("tags"), TAGS, PLACE(tag_ids) },
	{ SLICE("completed_actions"), SLICE("completed_actions"), ACTIONS, PLACE(action_ids) },
	{ SLICE("ip"), SLICE("ip"), TEXT, PLACE(ip) },
	{ SLICE("source"), SLICE("source"), TEXT, PLACE(source) },
	{ SLICE("user_agent"), SLICE("user_agent"), TEXT, PLACE(user_agent) },
	{ SLICE("uid"), SLICE("uid"), TEXT, PLACE(uid) },
	{ SLICE("referrer_url"), SLICE("referrer"), TEXT, PLACE(referrer) },
	{ SLICE("signup_url"), SLICE("signup_url"), TEXT, PLACE(signup_url) },
	{ SLICE("language"), SLICE("language"), TEXT, PLACE(language) },
};

/* Names with a column of their own in CSV; if there is no room for all, those that the most leads have. */
struct names {
	struct name {
		struct slice text; /* allocated separately: names come and go */
		uint64_t leads;    /* how many leads have it, minus those displaced by others: may be too low, never too high */
	} * items;                 /* sorted by text, without duplicates */
	size_t count, capacity;
};

struct lead_writer {
	enum records_format format;
	char delimiter;
	const struct definitions *definitions;
	struct pool *pool; /* of the arrays of names */
	size_t room, used; /* for both together, by name_cost */
	bool all_named;    /* no name was left out */
	struct names custom, utm;
};

struct lead_writer *
lead_writer_new(enum records_format format, char delimiter, const struct definitions *definitions, size_t room)
{
	struct lead_writer *writer = memory_alloc(sizeof(*writer));
	*writer = (struct lead_writer){ .format = format,
		.delimiter = delimiter,
		.definitions = definitions,
		.room = room,
		.all_named = true,
		.pool = pool_new() };
	return writer;
}

static void
free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free((char *)names->items[i].text.data);
}

void
lead_writer_free(struct lead_writer **writer)
{
	if (*writer == NULL)
		return;
	free_names(&(*writer)->utm);
	free_names(&(*writer)->custom);
	pool_free(&(*writer)->pool);
	free(*writer);
	*writer = NULL;
}

/* Its place in the names, or the place where it belongs. */
static size_t
find_name(const struct names *names, struct slice text, bool *found)
{
	size_t low = 0, high = names->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = slice_compare(names->items[middle].text, text);
		if (order == 0) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*found = false;
	return low;
}

/* An upper bound of its size in a URL, as a JSON member with a number. */
static size_t
name_cost(struct slice text)
{
	enum { SYNTAX = 12, DIGITS = 10, PLAIN = 1, OTHER = 3, ESCAPED = 6 };
	size_t cost = SYNTAX + DIGITS;
	for (size_t i = 0; i < text.size; i++) {
		const unsigned char c = (unsigned char)text.data[i];
		cost += ascii_is_alpha((char)c) || ascii_is_digit((char)c) || c == '_' || c == '-' ? PLAIN
			: c >= 0x80                                                                ? OTHER
												   : ESCAPED;
	}
	return cost;
}

static void
take_one(struct lead_writer *writer, struct names *names)
{
	size_t count = 0;
	for (size_t i = 0; i < names->count; i++) {
		struct name name = names->items[i];
		if (--name.leads > 0)
			names->items[count++] = name;
		else {
			writer->used -= name_cost(name.text);
			free((char *)name.text.data);
		}
	}
	names->count = count;
}

static void
insert_name(struct lead_writer *writer, struct names *names, size_t at, struct slice text, uint64_t leads)
{
	names->items = pool_grow(writer->pool, names->items, names->count, &names->capacity, sizeof(*names->items));
	memmove(&names->items[at + 1], &names->items[at], (names->count - at) * sizeof(*names->items));
	char *copy = memory_alloc(text.size + 1);
	memcpy(copy, text.data, text.size);
	names->items[at] = (struct name){ { copy, text.size }, leads };
	names->count++;
	writer->used += name_cost(text);
}

static bool
has_room(const struct lead_writer *writer, struct slice text)
{
	return writer->custom.count + writer->utm.count < LEAD_WRITER_NAMES_MAX &&
	       writer->used + name_cost(text) <= writer->room;
}

/* Counts a lead. A name without room costs all others one lead, so that names of few leads are displaced by names of many, and
 * never the reverse, however many names there are (Misra and Gries, 1982). */
static void
add_name(struct lead_writer *writer, struct names *names, struct slice text)
{
	bool found;
	const size_t at = find_name(names, text, &found);
	if (found)
		names->items[at].leads++;
	else if (has_room(writer, text))
		insert_name(writer, names, at, text, 1);
	else {
		writer->all_named = false;
		take_one(writer, &writer->custom);
		take_one(writer, &writer->utm);
	}
}

/* The value as a cell shows it; empty for null. */
static struct slice
text_of(const struct custom_field *field)
{
	if (slice_present(field->text))
		return field->text;
	return slice_equal(field->json, SLICE("null")) ? SLICE("") : field->json;
}

/* A field that is empty everywhere gets no column, because an import makes no field from an empty cell. */
static void
add_names(struct lead_writer *writer, struct pool *pool, struct slice object, struct names *names)
{
	const struct custom_fields fields = custom_fields_read(pool, object);
	for (size_t i = 0; i < fields.count; i++)
		if (text_of(&fields.items[i]).size > 0)
			add_name(writer, names, fields.items[i].name);
}

void
lead_writer_add_names(struct lead_writer *writer, struct pool *pool, const struct lead *lead)
{
	add_names(writer, pool, lead->custom_fields, &writer->custom);
	add_names(writer, pool, lead->utm, &writer->utm);
}

static void
put_names(struct json_writer *json, struct slice key, const struct names *names)
{
	json_name(json, key);
	json_begin_object(json);
	for (size_t i = 0; i < names->count; i++) {
		json_key(json, names->items[i].text);
		json_u64(json, names->items[i].leads);
	}
	json_end_object(json);
}

#define UTM_NAMES SLICE("utm")
#define CUSTOM_NAMES SLICE("custom")
#define ALL_NAMED SLICE("all")

struct slice
lead_writer_names(const struct lead_writer *writer, struct pool *pool)
{
	struct buffer out;
	struct json_writer json;
	buffer_init(&out, CELL_MAX_BYTES);
	json_writer_init(&json, &out);
	json_begin_object(&json);
	put_names(&json, UTM_NAMES, &writer->utm);
	put_names(&json, CUSTOM_NAMES, &writer->custom);
	json_put_boolean(&json, ALL_NAMED, writer->all_named);
	json_end_object(&json);
	return buffer_take(&out, pool);
}

struct names_reader {
	struct lead_writer *writer;
	struct names *names; /* the names for the current key */
	struct slice name;
};

/* A json_handler. */
static bool
read_names(void *context, const struct json_event *event)
{
	struct names_reader *reader = context;
	struct lead_writer *writer = reader->writer;
	uint64_t leads;
	size_t at;
	bool found;
	switch (event->type) {
	case JSON_OBJECT_BEGIN:
	case JSON_OBJECT_END:
		return event->depth == 0 || (event->depth == 1 && reader->names != NULL);
	case JSON_KEY:
		if (event->depth == 2) {
			reader->name = pool_copy(writer->pool, event->text);
			return true;
		}
		reader->names = slice_equal(event->text, UTM_NAMES)      ? &writer->utm
				: slice_equal(event->text, CUSTOM_NAMES) ? &writer->custom
									 : NULL;
		return reader->names != NULL || slice_equal(event->text, ALL_NAMED);
	case JSON_NUMBER:
		if (event->depth != 2 || !slice_to_u64(event->text, UINT32_MAX, &leads) || leads == 0)
			return false;
		at = find_name(reader->names, reader->name, &found);
		if (found || !has_room(writer, reader->name))
			return false;
		insert_name(writer, reader->names, at, reader->name, leads);
		return true;
	case JSON_BOOLEAN:
		writer->all_named = event->boolean;
		return event->depth == 1 && reader->names == NULL;
	default:
		return false;
	}
}

bool
lead_writer_set_columns(struct lead_writer *writer, struct slice json)
{
	struct names_reader reader = { .writer = writer };
	struct json_problem problem;
	return json_read(json, 2, read_names, &reader, &problem);
}

/* The heading of a custom field. If it has the name of another column, it is written as a member of `custom_fields`. */
static struct slice
custom_heading(struct pool *pool, struct slice name)
{
	const struct column column = column_of_heading(pool, name);
	const bool plain = column.field == LEAD_CUSTOM && !column.needs_meaning && slice_equal(column.name, name);
	return plain ? name : POOL_JOIN(pool, SLICE(CUSTOM_FIELDS_NAME "["), name, SLICE("]"));
}

static void
add_next_cell(const struct lead_writer *writer, struct slice cell, struct buffer *out)
{
	buffer_add_byte(out, writer->delimiter);
	csv_add_cell(out, cell, writer->delimiter);
}

void
lead_writer_heading(struct lead_writer *writer, struct pool *pool, struct buffer *out)
{
	if (writer->format != RECORDS_CSV)
		return;
	csv_add_cell(out, columns[0].csv, writer->delimiter);
	for (size_t i = 1; i < ARRAY_SIZE(columns); i++)
		add_next_cell(writer, columns[i].csv, out);
	for (size_t i = 0; i < writer->utm.count; i++)
		add_next_cell(writer, POOL_JOIN(pool, SLICE("utm_"), writer->utm.items[i].text), out);
	for (size_t i = 0; i < writer->custom.count; i++)
		add_next_cell(writer, custom_heading(pool, writer->custom.items[i].text), out);
	if (!writer->all_named)
		add_next_cell(writer, SLICE(OTHER_FIELDS_NAME), out);
	buffer_add_text(out, "\r\n");
}

/* The name of a tag, or the text of an action; absent when it was removed. */
static struct slice
name_of(const struct lead_writer *writer, enum kind kind, uint64_t id)
{
	const struct tag *tag = kind == TAGS ? definitions_tag(writer->definitions, id) : NULL;
	const struct action *action = kind == ACTIONS ? definitions_action(writer->definitions, id) : NULL;
	return tag != NULL ? tag->name : action != NULL ? action->text : SLICE_NONE;
}

/* The value as text, absent for null; for tags and actions, their ids. */
static struct slice
value_of(struct pool *pool, const struct lead *lead, size_t column)
{
	const void *place = (const char *)lead + columns[column].offset;
	char when[CLOCK_RFC3339_SIZE];
	switch (columns[column].kind) {
	case NUMBER:
		return pool_printf(pool, "%" PRIu32, *(const uint32_t *)place);
	case SWITCH:
		return *(const bool *)place ? SLICE("true") : SLICE("false");
	case CLAIM:
		return lead_claim_name(*(const uint32_t *)place);
	case TIME:
		clock_rfc3339(*(const int64_t *)place, when);
		return pool_copy(pool, slice_of(when));
	case TEXT:
	case TAGS:
	case ACTIONS:
		break;
	}
	return *(const struct slice *)place;
}

static struct slice
names_cell(const struct lead_writer *writer, struct pool *pool, enum kind kind, struct slice ids)
{
	struct buffer cell;
	uint64_t id;
	if (!slice_present(ids))
		return SLICE_NONE;
	buffer_init(&cell, CELL_MAX_BYTES);
	while (id_list_next(&ids, &id)) {
		const struct slice name = name_of(writer, kind, id);
		if (!slice_present(name))
			continue;
		if (cell.size > 0)
			buffer_add_byte(&cell, NAMES_DELIMITER);
		csv_add_field(&cell, name, NAMES_DELIMITER);
	}
	return buffer_take(&cell, pool);
}

static void
add_own_cell(const struct lead_writer *writer, struct pool *pool, const struct lead *lead, size_t column, struct buffer *out)
{
	const enum kind kind = columns[column].kind;
	const struct slice value = value_of(pool, lead, column);
	if (kind == TAGS || kind == ACTIONS)
		csv_add_cell(out, names_cell(writer, pool, kind, value), writer->delimiter);
	else if (kind == TEXT)
		csv_add_cell(out, value, writer->delimiter);
	else
		csv_add_field(out, value, writer->delimiter);
}

static void
add_cells(
    const struct lead_writer *writer, struct pool *pool, const struct names *names, struct slice object, struct buffer *out)
{
	struct slice *cells = POOL_ARRAY(pool, names->count, struct slice);
	const struct custom_fields fields = custom_fields_read(pool, object);
	for (size_t i = 0; i < fields.count; i++) {
		bool found;
		const size_t at = find_name(names, fields.items[i].name, &found);
		if (found)
			cells[at] = text_of(&fields.items[i]);
	}
	for (size_t i = 0; i < names->count; i++)
		add_next_cell(writer, cells[i], out);
}

/* Writes the fields without a column. */
static void
put_others(struct pool *pool, const struct names *names, struct slice key, struct slice object, struct json_writer *json)
{
	const struct custom_fields fields = custom_fields_read(pool, object);
	bool any = false;
	for (size_t i = 0; i < fields.count; i++) {
		bool found;
		find_name(names, fields.items[i].name, &found);
		if (found || text_of(&fields.items[i]).size == 0)
			continue;
		if (!any) {
			json_name(json, key);
			json_begin_object(json);
		}
		any = true;
		json_key(json, fields.items[i].name);
		json_raw(json, fields.items[i].json);
	}
	if (any)
		json_end_object(json);
}

static void
add_others(const struct lead_writer *writer, struct pool *pool, const struct lead *lead, struct buffer *out)
{
	struct buffer cell;
	struct json_writer json;
	buffer_init(&cell, CELL_MAX_BYTES);
	json_writer_init(&json, &cell);
	json_begin_object(&json);
	put_others(pool, &writer->utm, SLICE("utm"), lead->utm, &json);
	put_others(pool, &writer->custom, SLICE(CUSTOM_FIELDS_NAME), lead->custom_fields, &json);
	json_end_object(&json);
	const struct slice text = buffer_slice(&cell);
	add_next_cell(writer, slice_equal(text, SLICE("{}")) ? SLICE("") : text, out);
	buffer_free(&cell);
}

static void
add_member(
    const struct lead_writer *writer, struct pool *pool, const struct lead *lead, size_t column, struct json_writer *json)
{
	const enum kind kind = columns[column].kind;
	struct slice value = value_of(pool, lead, column);
	uint64_t id;
	json_name(json, columns[column].json);
	if (kind == NUMBER || kind == SWITCH) {
		json_raw(json, value);
	} else if (kind != TAGS && kind != ACTIONS) {
		json_string_or_null(json, value);
	} else {
		json_begin_array(json);
		while (id_list_next(&value, &id))
			if (slice_present(name_of(writer, kind, id)))
				json_string(json, name_of(writer, kind, id));
		json_end_array(json);
	}
}

static void
add_json(const struct lead_writer *writer, struct pool *pool, const struct lead *lead, struct buffer *out)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_begin_object(&json);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		add_member(writer, pool, lead, i, &json);
	json_put_raw(&json, SLICE("utm"), slice_present(lead->utm) ? lead->utm : SLICE("{}"));
	json_put_raw(&json, SLICE(CUSTOM_FIELDS_NAME), slice_present(lead->custom_fields) ? lead->custom_fields : SLICE("{}"));
	json_end_object(&json);
	buffer_add_byte(out, '\n');
}

void
lead_writer_add(struct lead_writer *writer, struct pool *pool, const struct lead *lead, struct buffer *out)
{
	if (writer->format == RECORDS_NDJSON) {
		add_json(writer, pool, lead, out);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (i > 0)
			buffer_add_byte(out, writer->delimiter);
		add_own_cell(writer, pool, lead, i, out);
	}
	add_cells(writer, pool, &writer->utm, lead->utm, out);
	add_cells(writer, pool, &writer->custom, lead->custom_fields, out);
	if (!writer->all_named)
		add_others(writer, pool, lead, out);
	buffer_add_text(out, "\r\n");
}
