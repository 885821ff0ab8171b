/* SPDX-License-Identifier: MIT
 * JSON straight into a buffer, commas by itself, no white space.
 *
 * The caller keeps begin and end in pairs and gives each key one value; nothing here checks it. Whether it all fitted is
 * the buffer's matter (buffer_ok). Strings must be valid UTF-8, which is passed through; escaped is what RFC 8259 section
 * 7 demands, and U+2028 and U+2029, so that the text is JavaScript too (JSONP). */
#ifndef LEADHOOK_JSON_WRITER_H
#define LEADHOOK_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

struct json_writer {
	struct buffer *out;
	bool comma; /* the next key or value follows another */
};

/* `out` may hold something already; the writer appends one value to it. */
void json_writer_init(struct json_writer *writer, struct buffer *out);

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
/* With the members of `object`, which is one as this writer makes it and has some. */
void json_begin_object_with(struct json_writer *writer, struct slice object);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);

void json_key(struct json_writer *writer, struct slice key);
/* A key of which nothing is to be escaped: a literal. Costs a fraction. */
void json_name(struct json_writer *writer, struct slice name);

/* An absent slice is written as "". */
void json_string(struct json_writer *writer, struct slice value);
/* An absent slice is written as null. */
void json_string_or_null(struct json_writer *writer, struct slice value);
void json_u64(struct json_writer *writer, uint64_t value);
void json_i64(struct json_writer *writer, int64_t value);
void json_boolean(struct json_writer *writer, bool value);
void json_null(struct json_writer *writer);
/* One value that is JSON already, as it is. */
void json_raw(struct json_writer *writer, struct slice value);

#endif
