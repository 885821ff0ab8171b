/* SPDX-License-Identifier: MIT */
#include "engine/custom_fields.h"

#include <stdlib.h>
#include <unicase.h>

#include "json/reader.h"
#include "json/writer.h"

enum { DEPTH_MAX = 2 };

struct slice
custom_field_name(struct pool *pool, struct slice typed)
{
	typed = pool_with_paired_brackets(pool, typed); /* so that `custom_fields[name]` has one reading */
	if (slice_is_ascii(typed))                      /* most names */
		return pool_copy_lower(pool, typed);
	size_t size = 0;
	/* without a language or normalisation: the result must not depend on the locale */
	uint8_t *lower = u8_tolower((const uint8_t *)typed.data, typed.size, NULL, NULL, NULL, &size);
	if (lower == NULL)
		memory_exhausted();
	struct slice name = pool_copy(pool, (struct slice){ (const char *)lower, size });
	free(lower);
	return name;
}

/* The end of the name within brackets that starts at `at`, or the size of the text. The name may have brackets itself. */
static size_t
end_of_member(struct slice text, size_t at)
{
	for (size_t open = 1; at < text.size; at++) {
		if (text.data[at] == '[')
			open++;
		else if (text.data[at] == ']' && --open == 0)
			return at;
	}
	return text.size;
}

bool
custom_field_member(struct pool *pool, struct slice typed, struct slice *name, struct slice *base)
{
	const struct slice before = SLICE(CUSTOM_FIELDS_NAME "[");
	const size_t end = slice_starts_with_nocase(typed, before) ? end_of_member(typed, before.size) : typed.size;
	const struct slice rest = slice_sub(typed, end + 1, typed.size);
	const bool within = end < typed.size && end > before.size && (rest.size == 0 || rest.data[0] == '[');
	if (within)
		typed = POOL_JOIN(pool, slice_sub(typed, before.size, end), rest);
	*name = custom_field_name(pool, typed);
	*base = slice_sub(*name, 0, slice_find(*name, '['));
	return within;
}

/* Builds the list of fields while the object is parsed. */
struct field_reader {
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
end_value(struct field_reader *reader, struct slice text)
{
	reader->items = pool_grow(reader->pool, reader->items, reader->count, &reader->capacity, sizeof(*reader->items));
	reader->items[reader->count++] = (struct custom_field){
		.name = reader->name,
		.json = pool_copy(reader->pool, buffer_slice(&reader->value)),
		.text = pool_copy(reader->pool, text),
	};
}

static bool
read_event(void *context, const struct json_event *event)
{
	struct field_reader *reader = context;
	switch (event->type) {
	case JSON_OBJECT_BEGIN:
	case JSON_OBJECT_END:
		return event->depth == 0;
	case JSON_KEY:
		reader->name = pool_copy(reader->pool, event->text);
		buffer_clear(&reader->value);
		json_writer_init(&reader->writer, &reader->value);
		return true;
	case JSON_ARRAY_BEGIN:
		if (event->depth != 1)
			return false;
		json_begin_array(&reader->writer);
		return true;
	case JSON_ARRAY_END:
		json_end_array(&reader->writer);
		end_value(reader, SLICE_NONE);
		return true;
	default:
		if (event->depth == 0)
			return false;
		write_scalar(&reader->writer, event);
		if (event->depth == 1)
			end_value(reader, event->type == JSON_STRING ? event->text : SLICE_NONE);
		return true;
	}
}

struct custom_fields
custom_fields_read(struct pool *pool, struct slice json)
{
	struct field_reader reader = { .pool = pool };
	struct json_problem problem;
	if (!slice_present(json))
		return (struct custom_fields){ 0 };
	buffer_init(&reader.value, CUSTOM_FIELDS_MAX_BYTES);
	bool read = json_read(json, DEPTH_MAX, read_event, &reader, &problem);
	buffer_free(&reader.value);
	return read ? (struct custom_fields){ reader.items, reader.count } : (struct custom_fields){ 0 };
}

static struct slice
text_of(const struct custom_fields *fields, struct slice name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (slice_equal(fields->items[i].name, name))
			return fields->items[i].text.size > 0 ? fields->items[i].text : SLICE_NONE;
	return SLICE_NONE;
}

/* Returns the end of the unescaped string at `at`, or 0 when there is none. */
static size_t
end_of_string(struct slice json, size_t at)
{
	if (at >= json.size || json.data[at] != '"')
		return 0;
	size_t size = slice_find(slice_sub(json, at + 1, json.size), '"');
	return at + 1 + size < json.size ? at + size + 2 : 0;
}

/* Returns the end of the value at `at`, where the comma or brace is, or 0. The value is as custom_fields_merge writes it. */
static size_t
end_of_value(struct slice json, size_t at)
{
	bool array = at < json.size && json.data[at] == '[';
	if (at < json.size && json.data[at] == '"')
		return end_of_string(json, at);
	while (at < json.size) {
		char c = json.data[at];
		if (array ? c == ']' : c == ',' || c == '}')
			return array ? at + 1 : at;
		if (c == '"' && !array)
			return 0;
		at = c == '"' ? end_of_string(json, at) : at + 1;
		if (at == 0)
			return 0;
	}
	return 0;
}

/* Finds the texts without a parser. Returns false when the object is not as custom_fields_merge writes it, or has escapes; few
 * do. */
static bool
find_texts(struct slice json, const struct slice *names, size_t count, struct slice *texts)
{
	size_t at = 0;
	do {
		size_t name_end = end_of_string(json, at + 1), value = name_end + 1;
		size_t end =
		    name_end == 0 || name_end >= json.size || json.data[name_end] != ':' ? 0 : end_of_value(json, value);
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
