/* SPDX-License-Identifier: MIT
 * What a command has to say: records of named values, written as aligned text for people or as JSON for programs. */
#ifndef LEADHOOK_ADMIN_OUTPUT_H
#define LEADHOOK_ADMIN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/pool.h"
#include "base/slice.h"

enum output_shape {
	OUTPUT_OBJECT, /* one record */
	OUTPUT_ARRAY   /* any number, all with the same keys */
};

/* Records under construction. Lives in the pool, as do all texts that are handed to it. */
struct output;

struct output *output_new(struct pool *pool, enum output_shape shape);

/* Begins the next record; what follows belongs to it. An object has exactly one. */
void output_record(struct output *output);
/* The same where programs get this JSON value, as it is: what follows is for people alone. */
void output_json_record(struct output *output, struct slice json);

bool output_is_empty(const struct output *output);

/* Keys live as long. An absent slice is null. */
void output_text(struct output *output, const char *key, struct slice value);
void output_u64(struct output *output, const char *key, uint64_t value);
void output_i64(struct output *output, const char *key, int64_t value);
/* 0 is null. */
void output_u64_or_null(struct output *output, const char *key, uint64_t value);
void output_boolean(struct output *output, const char *key, bool value);
/* Milliseconds since 1970, written as RFC 3339; negative is null. */
void output_time(struct output *output, const char *key, int64_t ms);
/* An array of texts. `values` must stay valid. */
void output_texts(struct output *output, const char *key, const struct slice *values, size_t count);
/* A value that is JSON already. */
void output_json(struct output *output, const char *key, struct slice json);
/* Records inside a record. */
void output_nested(struct output *output, const char *key, const struct output *value);

/* One value and a newline. False when `out` does not take it. */
MUST_CHECK bool output_print_json(const struct output *output, FILE *out);
/* An object as `key  value` lines, an array as a table with a heading. Control characters are shown as "?", so that no
 * stored text can give orders to a terminal. */
MUST_CHECK bool output_print_text(const struct output *output, FILE *out);

#endif
