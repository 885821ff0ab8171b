/* SPDX-License-Identifier: MIT */
#include "json/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "os/clock.h"

/* How a byte is written in a string: PLAIN is copied, the values below have their own rules, and any other value is the letter
 * after a backslash. */
enum { PLAIN = 0, UNICODE = 'u', LINE_SEPARATOR = 0xe2 };

/* UTF-8 of U+2028 and U+2029 without the last byte, which is 0xa8 or 0xa9. */
#define SEPARATOR_START "\xe2\x80"

static const unsigned char escapes[256] = { UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, /* 00 */
	'b', 't', 'n', UNICODE, 'f', 'r', UNICODE, UNICODE,                                                         /* 08 */
	UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE,                                     /* 10 */
	UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE, UNICODE,                                     /* 18 */
	['"'] = '"', ['\\'] = '\\', [0xe2] = LINE_SEPARATOR };

void
json_writer_init(struct json_writer *writer, struct buffer *out)
{
	*writer = (struct json_writer){ .out = out };
}

static void
separate(struct json_writer *writer)
{
	if (writer->comma)
		buffer_add_byte(writer->out, ',');
	writer->comma = true;
}

static void
begin(struct json_writer *writer, char bracket)
{
	separate(writer);
	buffer_add_byte(writer->out, bracket);
	writer->comma = false;
}

static void
end(struct json_writer *writer, char bracket)
{
	buffer_add_byte(writer->out, bracket);
	writer->comma = true;
}

void
json_begin_object(struct json_writer *writer)
{
	begin(writer, '{');
}

void
json_end_object(struct json_writer *writer)
{
	end(writer, '}');
}

void
json_begin_object_with(struct json_writer *writer, struct slice object)
{
	separate(writer);
	buffer_add(writer->out, slice_sub(object, 0, object.size - 1));
}

void
json_begin_array(struct json_writer *writer)
{
	begin(writer, '[');
}

void
json_end_array(struct json_writer *writer)
{
	end(writer, ']');
}

/* Appends the escaped form of the bytes at `at`, which are not plain. Returns how many bytes it has consumed. */
static size_t
add_escape(struct buffer *out, struct slice value, size_t at)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char byte = (unsigned char)value.data[at];
	switch (escapes[byte]) {
	case UNICODE:
		buffer_add(out, (struct slice){ (char[]){ '\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15] }, 6 });
		return 1;
	case LINE_SEPARATOR: {
		struct slice character = slice_sub(value, at, at + 3);
		bool separator = character.size == 3 && slice_starts_with(character, SLICE(SEPARATOR_START)) &&
				 (character.data[2] == '\xa8' || character.data[2] == '\xa9');
		if (separator)
			buffer_add(out, character.data[2] == '\xa8' ? SLICE("\\u2028") : SLICE("\\u2029"));
		else
			buffer_add(out, character);
		return character.size;
	}
	default:
		buffer_add(out, (struct slice){ (char[]){ '\\', (char)escapes[byte] }, 2 });
		return 1;
	}
}

/* The offset of the first byte, from `at` on, that is not plain. */
static size_t
plain_end(struct slice value, size_t at)
{
	while (at < value.size && escapes[(unsigned char)value.data[at]] == PLAIN)
		at++;
	return at;
}

/* Copies whole runs of plain bytes. Most values are a single run, and copying them byte by byte would be most of the cost of a
 * response. */
static void
add_quoted(struct buffer *out, struct slice value)
{
	size_t run = 0, at = plain_end(value, 0);
	buffer_add_byte(out, '"');
	while (at < value.size) {
		buffer_add(out, slice_sub(value, run, at));
		run = at + add_escape(out, value, at);
		at = plain_end(value, run);
	}
	buffer_add(out, slice_sub(value, run, at));
	buffer_add_byte(out, '"');
}

void
json_key(struct json_writer *writer, struct slice key)
{
	separate(writer);
	add_quoted(writer->out, key);
	buffer_add_byte(writer->out, ':');
	writer->comma = false;
}

void
json_name(struct json_writer *writer, struct slice name)
{
	char *at = buffer_extend(writer->out, writer->comma + name.size + 3);
	if (at == NULL)
		return;
	if (writer->comma)
		*at++ = ',';
	*at++ = '"';
	memcpy(at, name.data, name.size);
	memcpy(at + name.size, "\":", 2);
	writer->comma = false;
}

void
json_string(struct json_writer *writer, struct slice value)
{
	separate(writer);
	add_quoted(writer->out, value);
}

void
json_string_or_null(struct json_writer *writer, struct slice value)
{
	if (slice_present(value))
		json_string(writer, value);
	else
		json_null(writer);
}

void
json_u64(struct json_writer *writer, uint64_t value)
{
	separate(writer);
	buffer_add_u64(writer->out, value);
}

void
json_i64(struct json_writer *writer, int64_t value)
{
	separate(writer);
	buffer_add_i64(writer->out, value);
}

void
json_boolean(struct json_writer *writer, bool value)
{
	json_raw(writer, value ? SLICE("true") : SLICE("false"));
}

void
json_null(struct json_writer *writer)
{
	json_raw(writer, SLICE("null"));
}

void
json_raw(struct json_writer *writer, struct slice value)
{
	separate(writer);
	buffer_add(writer->out, value);
}

static void
add_unicode_escape(struct buffer *out, uint32_t unit)
{
	char text[sizeof("\\uffff")];
	if (snprintf(text, sizeof(text), "\\u%04x", (unsigned)unit) == sizeof(text) - 1)
		buffer_add(out, slice_of(text));
}

/* Takes the ASCII characters at the start off the text, or one other character. */
static struct slice
take_part(struct slice *json, uint32_t *character)
{
	const struct slice before = *json;
	size_t plain = 0;
	*character = 0;
	while (plain < json->size && is_ascii(json->data[plain]))
		plain++;
	if (plain > 0 || !utf8_next(json, character))
		*json = slice_sub(*json, plain > 0 ? plain : 1, json->size);
	return slice_sub(before, 0, before.size - json->size);
}

void
json_write_escaped(struct buffer *out, struct slice json)
{
	enum { ASCII_END = 0x80, PAIRS = 0x10000 };
	uint32_t character;
	while (json.size > 0) {
		const struct slice part = take_part(&json, &character);
		if (character >= ASCII_END && character < PAIRS)
			add_unicode_escape(out, character);
		else
			buffer_add(out, part);
	}
}

void
json_put_time(struct json_writer *writer, struct slice name, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];
	if (ms >= 0)
		clock_rfc3339(ms, text);
	json_put_text(writer, name, ms >= 0 ? slice_of(text) : SLICE_NONE);
}
