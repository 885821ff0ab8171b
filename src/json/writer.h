/* SPDX-License-Identifier: MIT
 * Writes JSON into a buffer. Adds commas, and no white space.
 *
 * The caller must pair begin and end, and give each key one value; this is not checked. buffer_ok tells whether everything
 * fitted. Strings must be valid UTF-8, which is written unchanged. The writer escapes the characters for which RFC 8259 section
 * 7 requires it, and U+2028 and U+2029, so that the text is valid JavaScript (JSONP). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

struct json_writer {
	struct buffer *out;
	bool comma; /* needed before the next key or value */
};

/* The writer appends one value to `out`, which need not be empty. */
void json_writer_init(struct json_writer *writer, struct buffer *out);

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
/* Begins with the members of `object`, the text of a non-empty object made by this writer. */
void json_begin_object_with(struct json_writer *writer, struct slice object);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);

void json_key(struct json_writer *writer, struct slice key);
/* Writes a key that is a literal without characters to escape. This is much faster. */
void json_name(struct json_writer *writer, struct slice name);

/* An absent slice is written as "". */
void json_string(struct json_writer *writer, struct slice value);
/* An absent slice is written as null. */
void json_string_or_null(struct json_writer *writer, struct slice value);
void json_u64(struct json_writer *writer, uint64_t value);
void json_i64(struct json_writer *writer, int64_t value);
void json_boolean(struct json_writer *writer, bool value);
void json_null(struct json_writer *writer);
/* A value that is already JSON. */
void json_raw(struct json_writer *writer, struct slice value);

/* Appends JSON with \u escapes in place of the characters from U+0080 to U+FFFF. Higher ones are not escaped: they would need
 * pairs of escapes. */
void json_write_escaped(struct buffer *out, struct slice json);

/* Members: a literal name and its value. An absent text is written as null. */
static inline void
json_put_u64(struct json_writer *writer, struct slice name, uint64_t value)
{
	json_name(writer, name);
	json_u64(writer, value);
}

/* An id, or another number that is never 0; 0 is written as null. */
static inline void
json_put_id(struct json_writer *writer, struct slice name, uint64_t id)
{
	json_name(writer, name);
	if (id == 0)
		json_null(writer);
	else
		json_u64(writer, id);
}

static inline void
json_put_i64(struct json_writer *writer, struct slice name, int64_t value)
{
	json_name(writer, name);
	json_i64(writer, value);
}

static inline void
json_put_boolean(struct json_writer *writer, struct slice name, bool value)
{
	json_name(writer, name);
	json_boolean(writer, value);
}

static inline void
json_put_text(struct json_writer *writer, struct slice name, struct slice value)
{
	json_name(writer, name);
	json_string_or_null(writer, value);
}

/* A time in milliseconds since 1970, in the form of RFC 3339; a negative one is written as null. */
void json_put_time(struct json_writer *writer, struct slice name, int64_t ms);

static inline void
json_put_raw(struct json_writer *writer, struct slice name, struct slice value)
{
	json_name(writer, name);
	json_raw(writer, value);
}
