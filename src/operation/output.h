/* SPDX-License-Identifier: MIT
 * The output of an operation: records of named values, written as aligned text or as JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"

enum output_shape {
	OUTPUT_OBJECT, /* one record */
	OUTPUT_ARRAY,  /* any number of records, all with the same keys */
	OUTPUT_NONE    /* the operation writes its result itself, and not as JSON */
};

/* The output lives in the pool, and so must all texts that are passed to it. */
struct output;

struct output *output_new(struct pool *pool, enum output_shape shape);

/* Begins the next record. An OUTPUT_OBJECT has exactly one. */
void output_record(struct output *output);
/* The same, but in JSON the record is `json`; the values that follow appear in text output only. */
void output_json_record(struct output *output, struct slice json);

bool output_is_empty(const struct output *output);

/* `key` must live as long as the output. An absent slice is null. */
void output_text(struct output *output, const char *key, struct slice value);
/* A text with several lines, which end with LF or CR LF. In text output they come after the other values of the object. */
void output_lines(struct output *output, const char *key, struct slice value);
void output_u64(struct output *output, const char *key, uint64_t value);
void output_i64(struct output *output, const char *key, int64_t value);
/* A text that is shown once, and left out of output_public_json. */
void output_secret(struct output *output, const char *key, struct slice value);
/* Leaves the value that was added last out of output_public_json, too. */
void output_keep_private(struct output *output);
/* 0 is written as null. */
void output_u64_or_null(struct output *output, const char *key, uint64_t value);
void output_boolean(struct output *output, const char *key, bool value);
/* Milliseconds since 1970, written as in RFC 3339; a negative number is null. */
void output_time(struct output *output, const char *key, int64_t ms);
/* An array of texts. `values` must stay valid. */
void output_texts(struct output *output, const char *key, const struct slice *values, size_t count);
/* Ids as columns store them, decimal and separated by commas; in JSON an array of numbers. Absent: null. */
void output_id_list(struct output *output, const char *key, struct slice ids);
/* A value that is already JSON. Absent: null. */
void output_json(struct output *output, const char *key, struct slice json);
/* An output as a value: an object or array inside the record. */
void output_nested(struct output *output, const char *key, const struct output *value);

/* Appends one JSON value and a newline. If the texts have no control characters and direction marks, these are the bytes that
 * output_print_json writes. */
void output_write_json(const struct output *output, struct buffer *out);
/* The same without the newline, secrets and private values. The result is in the pool; it is absent if it is too large for the
 * audit log. */
struct slice output_public_json(struct pool *pool, const struct output *output);
/* The value `id` of the first record; 0 if it has none. */
uint64_t output_first_id(const struct output *output);
/* Writes one JSON value and a newline. Control characters and direction marks of its texts are written as escapes, so that no
 * stored text controls a terminal. False when writing to `out` fails. */
MUST_CHECK bool output_print_json(const struct output *output, FILE *out);
/* An object as `key  value` lines, an array as a table with a heading. Control characters are shown as "?", so that a
 * stored text cannot control a terminal. */
MUST_CHECK bool output_print_text(const struct output *output, FILE *out);

/* Appends the text without characters that are unsafe on a terminal; returns its number of characters. */
size_t output_add_shown(struct buffer *out, struct slice text);
