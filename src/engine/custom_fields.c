/* SPDX-License-Identifier: MIT */
#include "engine/custom_fields.h"

#include <stdlib.h>
#include <unicase.h>

#include "json/reader.h"
#include "json/writer.h"

enum { OBJECT_MAX_BYTES = 1024 * 1024, DEPTH_MAX = 2 };

struct slice
custom_field_name(struct pool *pool, struct slice typed)
{
	if (slice_is_ascii(typed)) /* nearly all are */
		return pool_copy_lower(pool, typed);
	size_t size = 0;
	/* without a language: the same for everybody, and nothing is normalised */
	uint8_t *lower = u8_tolower((const uint8_t *)typed.data, typed.size, NULL, NULL, NULL, &size);
	if (lower == NULL)
		memory_exhausted();
	struct slice name = pool_copy(pool, (struct slice){ (const char *)lower, size });
	free(lower);
	return name;
}

/* Builds the list while the object is read. */
struct reading {
	struct pool *pool;
	struct custom_field *items;
	size_t count, capacity;
	struct slice name;
	struct buffer value;
	struct json_writer writer;
};

static void
write_scalar(struct json_writer *writer, const struct json_event *event)
{
	switch (event->type) {
	case JSON_BOOLEAN:
		json_boolean(writer, event->boolean);
		break;
	case JSON_NUMBER:
		json_raw(writer, event->text);
		break;
	case JSON_STRING:
		json_string(writer, event->text);
		break;
	default:
		json_null(writer);
		break;
	}
}

static void
start_value(struct reading *reading)
{
	buffer_clear(&reading->value);
	json_writer_init(&reading->writer, &reading->value);
}

static void
end_value(struct reading *reading, struct slice text)
{
	reading->items = pool_grow(reading->pool, reading->items, reading->count, &reading->capacity, sizeof(*reading->items));
	reading->items[reading->count++] = (struct custom_field){
		.name = reading->name,
		.json = pool_copy(reading->pool, buffer_slice(&reading->value)),
		.text = pool_copy(reading->pool, text),
	};
}

static bool
read_event(void *context, const struct json_event *event)
{
	struct reading *reading = context;
	switch (event->type) {
	case JSON_OBJECT_BEGIN:
	case JSON_OBJECT_END:
		return event->depth == 0;
	case JSON_KEY:
		reading->name = pool_copy(reading->pool, event->text);
		start_value(reading);
		return true;
	case JSON_ARRAY_BEGIN:
		if (event->depth != 1)
			return false;
		json_begin_array(&reading->writer);
		return true;
	case JSON_ARRAY_END:
		json_end_array(&reading->writer);
		end_value(reading, SLICE_NONE);
		return true;
	default:
		if (event->depth == 0)
			return false;
		write_scalar(&reading->writer, event);
		if (event->depth == 1)
			end_value(reading, event->type == JSON_STRING ? event->text : SLICE_NONE);
		return true;
	}
}

struct custom_fields
custom_fields_read(struct pool *pool, struct slice json)
{
	struct reading reading = { .pool = pool };
	struct json_problem problem;
	if (!slice_present(json))
		return (struct custom_fields){ 0 };
	buffer_init(&reading.value, OBJECT_MAX_BYTES);
	bool read = json_read(json, DEPTH_MAX, read_event, &reading, &problem);
	buffer_free(&reading.value);
	return read ? (struct custom_fields){ reading.items, reading.count } : (struct custom_fields){ 0 };
}

static struct custom_field *
find(const struct custom_fields *fields, struct slice name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (slice_equal(fields->items[i].name, name))
			return &fields->items[i];
	return NULL;
}

static struct slice
text_of(const struct custom_fields *fields, struct slice name)
{
	const struct custom_field *field = find(fields, name);
	return field == NULL || field->text.size == 0 ? SLICE_NONE : field->text;
}

/* Behind the string, of which nothing is escaped, that begins at `at`; 0: there is none. */
static size_t
behind_string(struct slice json, size_t at)
{
	if (at >= json.size || json.data[at] != '"')
		return 0;
	size_t size = slice_find(slice_sub(json, at + 1, json.size), '"');
	return at + 1 + size < json.size ? at + size + 2 : 0;
}

/* Behind the value as write_object writes it, at the comma or brace. */
static size_t
behind_value(struct slice json, size_t at)
{
	bool array = at < json.size && json.data[at] == '[';
	if (at < json.size && json.data[at] == '"')
		return behind_string(json, at);
	while (at < json.size) {
		char c = json.data[at];
		if (array ? c == ']' : c == ',' || c == '}')
			return array ? at + 1 : at;
		if (c == '"' && !array)
			return 0;
		at = c == '"' ? behind_string(json, at) : at + 1;
		if (at == 0)
			return 0;
	}
	return 0;
}

/* Whether the object was written by write_object, and nothing in it is escaped: that much can be seen without a parser, and
 * nearly all are so. */
static bool
find_texts(struct slice json, const struct slice *names, size_t count, struct slice *texts)
{
	size_t at = 0;
	do {
		size_t name_end = behind_string(json, at + 1), value = name_end + 1;
		size_t end =
		    name_end == 0 || name_end >= json.size || json.data[name_end] != ':' ? 0 : behind_value(json, value);
		if (end == 0 || end >= json.size)
			return false;
		struct slice name = slice_sub(json, at + 2, name_end - 1);
		for (size_t i = 0; i < count; i++)
			if (!slice_present(texts[i]) && slice_equal(name, names[i]) && json.data[value] == '"' &&
			    end - value > 2)
				texts[i] = slice_sub(json, value + 1, end - 1);
		at = end;
	} while (json.data[at] == ',');
	return json.data[at] == '}' && at + 1 == json.size;
}

void
custom_fields_texts(struct pool *pool, struct slice json, const struct slice *names, size_t count, struct slice *texts)
{
	for (size_t i = 0; i < count; i++)
		texts[i] = SLICE_NONE;
	if (!slice_present(json))
		return;
	bool plain = slice_starts_with(json, SLICE("{")) && slice_find(json, '\\') == json.size;
	if (plain && find_texts(json, names, count, texts))
		return;
	struct custom_fields fields = custom_fields_read(pool, json);
	for (size_t i = 0; i < count; i++)
		texts[i] = text_of(&fields, names[i]);
}

/* A changed field keeps its place. */
static void
apply(struct custom_fields *fields, const struct custom_field *change)
{
	struct custom_field *field = find(fields, change->name);
	if (field == NULL) {
		if (slice_present(change->json))
			fields->items[fields->count++] = *change;
		return;
	}
	if (slice_present(change->json)) {
		*field = *change;
		return;
	}
	for (size_t i = (size_t)(field - fields->items) + 1; i < fields->count; i++)
		fields->items[i - 1] = fields->items[i];
	fields->count--;
}

static struct slice
write_object(struct pool *pool, const struct custom_fields *fields)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, OBJECT_MAX_BYTES);
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	for (size_t i = 0; i < fields->count; i++) {
		json_key(&writer, fields->items[i].name);
		json_raw(&writer, fields->items[i].json);
	}
	json_end_object(&writer);
	struct slice object = buffer_ok(&out) ? pool_copy(pool, buffer_slice(&out)) : SLICE_NONE;
	buffer_free(&out);
	return object;
}

bool
custom_fields_merge(struct pool *pool, struct slice json, const struct custom_field *changes, size_t count,
    const struct custom_field_limits *limits, struct slice *merged, struct slice *problem)
{
	struct custom_fields old = custom_fields_read(pool, json);
	struct custom_fields fields = { POOL_ARRAY(pool, old.count + count, struct custom_field), old.count };
	for (size_t i = 0; i < old.count; i++)
		fields.items[i] = old.items[i];
	for (size_t i = 0; i < count; i++)
		apply(&fields, &changes[i]);
	*merged = SLICE_NONE;
	if (fields.count == 0)
		return true;
	if (fields.count > limits->fields) {
		*problem = pool_printf(pool, "A lead may have at most %zu custom fields", limits->fields);
		return false;
	}
	*merged = write_object(pool, &fields);
	if (!slice_present(*merged) || merged->size > limits->bytes) {
		*problem = pool_printf(pool, "The custom fields of a lead may have at most %zu bytes together", limits->bytes);
		return false;
	}
	return true;
}
