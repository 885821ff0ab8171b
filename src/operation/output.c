/* SPDX-License-Identifier: MIT */
#include "operation/output.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "json/writer.h"
#include "os/clock.h"

enum {
	PRINT_BYTES_MAX = 256 * 1024 * 1024,
	PUBLIC_MAX_BYTES = 8 * 1024 + 1 /* more than fits in the audit log */,
	COLUMNS_MAX = 24,
	GAP = 2 /* between columns */
};

struct value {
	const char *key;
	struct slice text;           /* in text output */
	struct slice json;           /* in JSON output; absent: `text` as a string */
	bool has_lines;              /* shown below the other values in text output */
	bool secret;                 /* not in public JSON */
	const struct output *nested; /* used instead of both texts, and shown below the other values in text output; or NULL */
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

static struct value *
add(struct output *output, const char *key, struct slice text, struct slice json)
{
	struct record *record = &output->records[output->count - 1];
	record->values = pool_grow(output->pool, record->values, record->count, &record->capacity, sizeof(*record->values));
	record->values[record->count] = (struct value){ .key = key, .text = text, .json = json };
	return &record->values[record->count++];
}

void
output_text(struct output *output, const char *key, struct slice value)
{
	if (slice_present(value))
		add(output, key, value, SLICE_NONE);
	else
		add(output, key, SLICE("-"), SLICE("null"));
}

void
output_keep_private(struct output *output)
{
	struct record *record = &output->records[output->count - 1];
	record->values[record->count - 1].secret = true;
}

void
output_secret(struct output *output, const char *key, struct slice value)
{
	output_text(output, key, value);
	output_keep_private(output);
}

void
output_lines(struct output *output, const char *key, struct slice value)
{
	output_text(output, key, value);
	struct record *record = &output->records[output->count - 1];
	record->values[record->count - 1].has_lines = true;
}

void
output_u64(struct output *output, const char *key, uint64_t value)
{
	output_json(output, key, pool_printf(output->pool, "%" PRIu64, value));
}

void
output_i64(struct output *output, const char *key, int64_t value)
{
	output_json(output, key, pool_printf(output->pool, "%" PRIi64, value));
}

void
output_u64_or_null(struct output *output, const char *key, uint64_t value)
{
	if (value == 0)
		output_text(output, key, SLICE_NONE);
	else
		output_u64(output, key, value);
}

void
output_boolean(struct output *output, const char *key, bool value)
{
	add(output, key, value ? SLICE("yes") : SLICE("no"), value ? SLICE("true") : SLICE("false"));
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
	struct buffer text, json;
	struct json_writer writer;
	buffer_init(&text, PRINT_BYTES_MAX);
	buffer_init(&json, PRINT_BYTES_MAX);
	json_writer_init(&writer, &json);
	json_begin_array(&writer);
	for (size_t i = 0; i < count; i++) {
		buffer_printf(&text, "%s%.*s", i > 0 ? "," : "", SLICE_ARGS(values[i]));
		json_string(&writer, values[i]);
	}
	json_end_array(&writer);
	add(output, key, pool_copy(output->pool, buffer_slice(&text)), pool_copy(output->pool, buffer_slice(&json)));
	buffer_free(&text);
	buffer_free(&json);
}

void
output_json(struct output *output, const char *key, struct slice json)
{
	if (slice_present(json))
		add(output, key, json, json);
	else
		output_text(output, key, SLICE_NONE);
}

void
output_id_list(struct output *output, const char *key, struct slice ids)
{
	if (slice_present(ids))
		output_json(output, key, pool_printf(output->pool, "[%.*s]", SLICE_ARGS(ids)));
	else
		output_text(output, key, SLICE_NONE);
}

void
output_nested(struct output *output, const char *key, const struct output *value)
{
	add(output, key, SLICE("-"), SLICE_NONE)->nested = value;
}

enum secrecy { WITH_SECRETS, WITHOUT_SECRETS };

static void write_output(struct json_writer *writer, const struct output *output, enum secrecy secrecy);

static void
write_value(struct json_writer *writer, const struct value *value)
{
	if (value->nested != NULL)
		write_output(writer, value->nested, WITH_SECRETS);
	else if (slice_present(value->json))
		json_raw(writer, value->json);
	else
		json_string(writer, value->text);
}

static void
write_record(struct json_writer *writer, const struct record *record, enum secrecy secrecy)
{
	if (slice_present(record->json)) {
		json_raw(writer, record->json);
		return;
	}
	json_begin_object(writer);
	for (size_t i = 0; i < record->count; i++) {
		if (record->values[i].secret && secrecy == WITHOUT_SECRETS)
			continue;
		json_key(writer, slice_of(record->values[i].key));
		write_value(writer, &record->values[i]);
	}
	json_end_object(writer);
}

static void
write_output(struct json_writer *writer, const struct output *output, enum secrecy secrecy)
{
	if (output->shape == OUTPUT_ARRAY)
		json_begin_array(writer);
	for (size_t i = 0; i < output->count; i++)
		write_record(writer, &output->records[i], secrecy);
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

/* Unicode's direction marks can make a text look like another. */
static bool
is_direction_mark(uint32_t character)
{
	return character == 0x061c || character == 0x200e || character == 0x200f ||
	       (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

/* Characters of valid text that must not reach a terminal. */
static bool
is_unsafe(uint32_t character)
{
	return character < ' ' || (character >= 0x7f && character < 0xa0) || is_direction_mark(character);
}

/* Adds the JSON in a form for terminals: unsafe characters in its strings become escapes. */
static void
add_shown_json(struct buffer *out, struct slice json)
{
	uint32_t character;
	for (struct slice rest = json; rest.size > 0;) {
		const struct slice before = rest;
		const bool valid = utf8_next(&rest, &character);
		if (!valid)
			rest = slice_sub(rest, 1, rest.size);
		if (valid && character > ' ' && is_unsafe(character)) /* a line end between values stays */
			buffer_printf(out, "\\u%04" PRIx32, character);
		else
			buffer_add(out, slice_sub(before, 0, before.size - rest.size));
	}
}

/* Writes the JSON to `out` and empties the buffer. */
static bool
flush_json(struct buffer *json, FILE *out)
{
	struct buffer shown;
	buffer_init(&shown, PRINT_BYTES_MAX);
	add_shown_json(&shown, buffer_slice(json));
	const bool printed = buffer_ok(json) && flush_buffer(&shown, out);
	buffer_free(&shown);
	buffer_clear(json);
	return printed;
}

void
output_write_json(const struct output *output, struct buffer *out)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	write_output(&writer, output, WITH_SECRETS);
	buffer_add_byte(out, '\n');
}

struct slice
output_public_json(struct pool *pool, const struct output *output)
{
	struct buffer json;
	struct json_writer writer;
	buffer_init(&json, PUBLIC_MAX_BYTES);
	json_writer_init(&writer, &json);
	write_output(&writer, output, WITHOUT_SECRETS);
	const struct slice copy = buffer_ok(&json) ? pool_copy(pool, buffer_slice(&json)) : SLICE_NONE;
	buffer_free(&json);
	return copy;
}

uint64_t
output_first_id(const struct output *output)
{
	uint64_t id = 0;
	for (size_t i = 0; output->count > 0 && i < output->records[0].count; i++) {
		const struct value *value = &output->records[0].values[i];
		if (strcmp(value->key, "id") == 0 && slice_to_u64(value->text, INT64_MAX, &id))
			return id;
	}
	return 0;
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
		write_record(&writer, &output->records[i], WITH_SECRETS);
		printed = printed && flush_json(&text, out); /* record by record, because all of them together may be large */
	}
	if (output->shape == OUTPUT_ARRAY)
		json_end_array(&writer);
	buffer_add_byte(&text, '\n');
	return print_buffer(&text, out) && printed;
}

size_t
output_add_shown(struct buffer *out, struct slice text)
{
	size_t width = 0;
	uint32_t character;
	for (struct slice rest = text; rest.size > 0; width++) {
		struct slice before = rest;
		bool valid = utf8_next(&rest, &character);
		if (!valid)
			rest = slice_sub(rest, 1, rest.size);
		if (!valid || is_unsafe(character))
			buffer_add_byte(out, '?');
		else
			buffer_add(out, slice_sub(before, 0, before.size - rest.size));
	}
	return width;
}

static size_t
shown_width(struct slice text)
{
	struct buffer shown;
	buffer_init(&shown, PRINT_BYTES_MAX);
	size_t width = output_add_shown(&shown, text);
	buffer_free(&shown);
	return width;
}

/* Pads the text to the width of its column. */
static void
add_cell(struct buffer *out, struct slice text, size_t width)
{
	for (size_t i = output_add_shown(out, text); i < width; i++)
		buffer_add_byte(out, ' ');
}

static size_t
greatest(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void
add_table(struct buffer *out, const struct output *output)
{
	size_t widths[COLUMNS_MAX] = { 0 }; /* the last column is not padded */
	if (output->count == 0)
		return;
	const struct record *first = &output->records[0];
	const size_t columns = first->count < COLUMNS_MAX ? first->count : COLUMNS_MAX;
	for (size_t column = 0; column + 1 < columns; column++) {
		widths[column] = slice_of(first->values[column].key).size + GAP;
		for (size_t i = 0; i < output->count; i++)
			widths[column] = greatest(widths[column], shown_width(output->records[i].values[column].text) + GAP);
	}
	for (size_t column = 0; column < columns; column++)
		add_cell(out, slice_of(first->values[column].key), widths[column]);
	buffer_add_byte(out, '\n');
	for (size_t i = 0; i < output->count; i++) {
		for (size_t column = 0; column < columns; column++)
			add_cell(out, output->records[i].values[column].text, widths[column]);
		buffer_add_byte(out, '\n');
	}
}

static void
add_lines(struct buffer *out, const struct value *value)
{
	struct slice rest = value->text, line;
	buffer_printf(out, "\n%s:\n", value->key);
	while (slice_next(&rest, '\n', &line)) {
		if (line.size > 0 && line.data[line.size - 1] == '\r')
			line.size--;
		output_add_shown(out, line);
		buffer_add_byte(out, '\n');
	}
}

static void
add_object(struct buffer *out, const struct record *record)
{
	size_t longest = 0;
	for (size_t i = 0; i < record->count; i++)
		longest = greatest(longest, slice_of(record->values[i].key).size);
	for (size_t i = 0; i < record->count; i++) {
		const struct value *value = &record->values[i];
		if (value->nested != NULL || value->has_lines)
			continue;
		add_cell(out, slice_of(value->key), longest + GAP);
		output_add_shown(out, value->text);
		buffer_add_byte(out, '\n');
	}
	for (size_t i = 0; i < record->count; i++) {
		const struct value *value = &record->values[i];
		if (value->has_lines)
			add_lines(out, value);
		if (value->nested == NULL || value->nested->count == 0)
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
