/* SPDX-License-Identifier: MIT */
#include "admin/output.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "json/writer.h"

enum { PRINT_BYTES_MAX = 256 * 1024 * 1024, COLUMNS_MAX = 24 };

struct value {
	const char *key;
	enum { VALUE_NULL, VALUE_TEXT, VALUE_NUMBER, VALUE_SIGNED, VALUE_BOOLEAN, VALUE_TEXTS, VALUE_JSON, VALUE_NESTED } kind;
	struct slice text;
	uint64_t number;
	int64_t signed_number;
	const struct slice *texts;
	size_t text_count;
	const struct output *nested;
};

struct record {
	struct slice json; /* printed instead of the values; or absent */
	struct value *values;
	size_t count, capacity;
};

struct output {
	struct pool *pool;
	enum output_shape shape;
	struct record *records;
	size_t count, capacity;
};

struct output *
output_new(struct pool *pool, enum output_shape shape)
{
	struct output *output = POOL_NEW(pool, struct output);
	output->pool = pool;
	output->shape = shape;
	return output;
}

void
output_record(struct output *output)
{
	output->records = pool_grow(output->pool, output->records, output->count, &output->capacity, sizeof(*output->records));
	output->count++;
}

void
output_json_record(struct output *output, struct slice json)
{
	output_record(output);
	output->records[output->count - 1].json = json;
}

bool
output_is_empty(const struct output *output)
{
	return output->count == 0;
}

static void
add(struct output *output, struct value value)
{
	struct record *record = &output->records[output->count - 1];
	record->values = pool_grow(output->pool, record->values, record->count, &record->capacity, sizeof(*record->values));
	record->values[record->count++] = value;
}

void
output_text(struct output *output, const char *key, struct slice value)
{
	add(output, (struct value){ .key = key, .kind = slice_present(value) ? VALUE_TEXT : VALUE_NULL, .text = value });
}

void
output_u64(struct output *output, const char *key, uint64_t value)
{
	add(output, (struct value){ .key = key, .kind = VALUE_NUMBER, .number = value });
}

void
output_i64(struct output *output, const char *key, int64_t value)
{
	add(output, (struct value){ .key = key, .kind = VALUE_SIGNED, .signed_number = value });
}

void
output_u64_or_null(struct output *output, const char *key, uint64_t value)
{
	add(output, (struct value){ .key = key, .kind = value == 0 ? VALUE_NULL : VALUE_NUMBER, .number = value });
}

void
output_boolean(struct output *output, const char *key, bool value)
{
	add(output, (struct value){ .key = key, .kind = VALUE_BOOLEAN, .number = value });
}

void
output_time(struct output *output, const char *key, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];
	if (ms >= 0)
		clock_rfc3339(ms, text);
	output_text(output, key, ms < 0 ? SLICE_NONE : pool_copy(output->pool, slice_of(text)));
}

void
output_texts(struct output *output, const char *key, const struct slice *values, size_t count)
{
	add(output, (struct value){ .key = key, .kind = VALUE_TEXTS, .texts = values, .text_count = count });
}

void
output_json(struct output *output, const char *key, struct slice json)
{
	add(output, (struct value){ .key = key, .kind = VALUE_JSON, .text = json });
}

void
output_nested(struct output *output, const char *key, const struct output *value)
{
	add(output, (struct value){ .key = key, .kind = VALUE_NESTED, .nested = value });
}

static void write_output(struct json_writer *writer, const struct output *output);

static void
write_value(struct json_writer *writer, const struct value *value)
{
	switch (value->kind) {
	case VALUE_NULL:
		json_null(writer);
		break;
	case VALUE_TEXT:
		json_string(writer, value->text);
		break;
	case VALUE_NUMBER:
		json_u64(writer, value->number);
		break;
	case VALUE_SIGNED:
		json_i64(writer, value->signed_number);
		break;
	case VALUE_BOOLEAN:
		json_boolean(writer, value->number != 0);
		break;
	case VALUE_TEXTS:
		json_begin_array(writer);
		for (size_t i = 0; i < value->text_count; i++)
			json_string(writer, value->texts[i]);
		json_end_array(writer);
		break;
	case VALUE_JSON:
		json_raw(writer, value->text);
		break;
	case VALUE_NESTED:
		write_output(writer, value->nested);
		break;
	}
}

static void
write_record(struct json_writer *writer, const struct record *record)
{
	if (slice_present(record->json)) {
		json_raw(writer, record->json);
		return;
	}
	json_begin_object(writer);
	for (size_t i = 0; i < record->count; i++) {
		json_key(writer, slice_of(record->values[i].key));
		write_value(writer, &record->values[i]);
	}
	json_end_object(writer);
}

static void
write_output(struct json_writer *writer, const struct output *output)
{
	if (output->shape == OUTPUT_ARRAY)
		json_begin_array(writer);
	for (size_t i = 0; i < output->count; i++)
		write_record(writer, &output->records[i]);
	if (output->shape == OUTPUT_ARRAY)
		json_end_array(writer);
}

/* Writes the buffer to `out` and empties it. */
static bool
flush_buffer(struct buffer *text, FILE *out)
{
	struct slice all = buffer_slice(text);
	bool printed = buffer_ok(text) && fwrite(all.data, 1, all.size, out) == all.size;
	buffer_clear(text);
	return printed;
}

static bool
print_buffer(struct buffer *text, FILE *out)
{
	bool printed = flush_buffer(text, out) && fflush(out) == 0;
	buffer_free(text);
	return printed;
}

bool
output_print_json(const struct output *output, FILE *out)
{
	struct buffer text;
	struct json_writer writer;
	bool printed = true;
	buffer_init(&text, PRINT_BYTES_MAX);
	json_writer_init(&writer, &text);
	if (output->shape == OUTPUT_ARRAY)
		json_begin_array(&writer);
	for (size_t i = 0; i < output->count; i++) {
		write_record(&writer, &output->records[i]);
		printed = printed && flush_buffer(&text, out); /* one by one: all of them may be large */
	}
	if (output->shape == OUTPUT_ARRAY)
		json_end_array(&writer);
	buffer_add_byte(&text, '\n');
	return print_buffer(&text, out) && printed;
}

/* Whether it is one of Unicode's direction marks, which can make a text look like another. */
static bool
is_direction_mark(uint32_t character)
{
	return character == 0x061c || character == 0x200e || character == 0x200f ||
	       (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

/* Appends the text without characters that are unsafe on a terminal; returns its number of characters. */
static size_t
add_shown(struct buffer *out, struct slice text)
{
	size_t width = 0;
	uint32_t character;
	for (struct slice rest = text; rest.size > 0; width++) {
		struct slice before = rest;
		bool valid = utf8_next(&rest, &character);
		if (!valid)
			rest = slice_sub(rest, 1, rest.size);
		if (!valid || character < ' ' || (character >= 0x7f && character < 0xa0) || is_direction_mark(character))
			buffer_add_byte(out, '?');
		else
			buffer_add(out, slice_sub(before, 0, before.size - rest.size));
	}
	return width;
}

static size_t
add_cell(struct buffer *out, const struct value *value)
{
	size_t before = out->size, width = 0;
	switch (value->kind) {
	case VALUE_NULL:
	case VALUE_NESTED:
		return add_shown(out, SLICE("-"));
	case VALUE_TEXT:
	case VALUE_JSON:
		return add_shown(out, value->text);
	case VALUE_NUMBER:
		buffer_add_u64(out, value->number);
		return out->size - before;
	case VALUE_SIGNED:
		buffer_add_i64(out, value->signed_number);
		return out->size - before;
	case VALUE_BOOLEAN:
		return add_shown(out, value->number != 0 ? SLICE("yes") : SLICE("no"));
	case VALUE_TEXTS:
		for (size_t i = 0; i < value->text_count; i++)
			width += add_shown(out, i > 0 ? SLICE(",") : SLICE("")) + add_shown(out, value->texts[i]);
		return width;
	}
	return 0;
}

static size_t
cell_width(const struct value *value)
{
	struct buffer cell;
	buffer_init(&cell, PRINT_BYTES_MAX);
	size_t width = add_cell(&cell, value);
	buffer_free(&cell);
	return width;
}

/* Pads a cell of `width` characters, except for the last of a line. */
static void
add_gap(struct buffer *out, size_t width, size_t column_width, bool last)
{
	for (size_t i = width; !last && i < column_width + 2; i++)
		buffer_add_byte(out, ' ');
}

static void
add_table(struct buffer *out, const struct output *output)
{
	size_t widths[COLUMNS_MAX];
	size_t columns = output->count == 0 ? 0 : output->records[0].count;
	if (columns > COLUMNS_MAX)
		columns = COLUMNS_MAX;
	for (size_t column = 0; column < columns; column++) {
		widths[column] = slice_of(output->records[0].values[column].key).size;
		for (size_t i = 0; i < output->count; i++) {
			size_t width = cell_width(&output->records[i].values[column]);
			widths[column] = width > widths[column] ? width : widths[column];
		}
	}
	for (size_t column = 0; column < columns; column++) {
		size_t width = add_shown(out, slice_of(output->records[0].values[column].key));
		add_gap(out, width, widths[column], column + 1 == columns);
	}
	if (columns > 0)
		buffer_add_byte(out, '\n');
	for (size_t i = 0; i < output->count; i++) {
		for (size_t column = 0; column < columns; column++) {
			size_t width = add_cell(out, &output->records[i].values[column]);
			add_gap(out, width, widths[column], column + 1 == columns);
		}
		buffer_add_byte(out, '\n');
	}
}

static void
add_object(struct buffer *out, const struct record *record)
{
	size_t longest = 0;
	for (size_t i = 0; i < record->count; i++) {
		size_t size = slice_of(record->values[i].key).size;
		longest = size > longest ? size : longest;
	}
	for (size_t i = 0; i < record->count; i++) {
		const struct value *value = &record->values[i];
		if (value->kind == VALUE_NESTED)
			continue;
		add_gap(out, add_shown(out, slice_of(value->key)), longest, false);
		add_cell(out, value);
		buffer_add_byte(out, '\n');
	}
	for (size_t i = 0; i < record->count; i++) {
		const struct value *value = &record->values[i];
		if (value->kind != VALUE_NESTED || value->nested->count == 0)
			continue;
		buffer_printf(out, "\n%s:\n", value->key);
		add_table(out, value->nested);
	}
}

bool
output_print_text(const struct output *output, FILE *out)
{
	struct buffer text;
	buffer_init(&text, PRINT_BYTES_MAX);
	if (output->shape == OUTPUT_ARRAY)
		add_table(&text, output);
	else if (output->count > 0)
		add_object(&text, &output->records[0]);
	return print_buffer(&text, out);
}
