/* SPDX-License-Identifier: MIT
 * Values to bind, and the values of a result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct db_value {
	enum { DB_NULL, DB_UNSIGNED, DB_SIGNED, DB_BYTES } kind;
	union {
		uint64_t u64;
		int64_t i64;
		struct slice bytes;
	} as;
};

#define DB_U64(v) ((struct db_value){ DB_UNSIGNED, { .u64 = (v) } })
#define DB_I64(v) ((struct db_value){ DB_SIGNED, { .i64 = (v) } })
#define DB_BOOL(v) ((struct db_value){ DB_UNSIGNED, { .u64 = (v) ? 1 : 0 } })
#define DB_NONE ((struct db_value){ DB_NULL, { .u64 = 0 } })
/* An absent slice is NULL. */
struct db_value db_bytes(struct slice s);
/* Bytes that are not text: a hash, a token, an owner. */
struct db_value db_raw(const unsigned char *bytes, size_t size);
/* NULL when it is negative (not set). */
struct db_value db_time(int64_t ms);

/* A complete result set, copied into the pool. */
struct db_rows {
	size_t count;
	size_t columns;
	struct db_value *values; /* count × columns */
};

/* Readers of a value. A wrong type is a defect of the statement and ends the process. */
uint64_t db_get_u64(const struct db_rows *rows, size_t row, size_t column);
int64_t db_get_i64(const struct db_rows *rows, size_t row, size_t column);
bool db_get_bool(const struct db_rows *rows, size_t row, size_t column);
/* NULL is -1. */
int64_t db_get_time(const struct db_rows *rows, size_t row, size_t column);
/* NULL is absent. */
struct slice db_get_bytes(const struct db_rows *rows, size_t row, size_t column);
bool db_is_null(const struct db_rows *rows, size_t row, size_t column);
