/* SPDX-License-Identifier: MIT */
#include "db/value.h"

#include "base/panic.h"

struct db_value
db_bytes(struct slice s)
{
	return slice_present(s) ? (struct db_value){ DB_BYTES, { .bytes = s } } : DB_NONE;
}

struct db_value
db_raw(const unsigned char *bytes, size_t size)
{
	return db_bytes((struct slice){ (const char *)bytes, size });
}

struct db_value
db_time(int64_t ms)
{
	return ms < 0 ? DB_NONE : DB_I64(ms);
}

static const struct db_value *
value_at(const struct db_rows *rows, size_t row, size_t column)
{
	if (row >= rows->count || column >= rows->columns)
		panic("no such value in the answer");
	return &rows->values[row * rows->columns + column];
}

bool
db_is_null(const struct db_rows *rows, size_t row, size_t column)
{
	return value_at(rows, row, column)->kind == DB_NULL;
}

uint64_t
db_get_u64(const struct db_rows *rows, size_t row, size_t column)
{
	const struct db_value *value = value_at(rows, row, column);
	if (value->kind == DB_SIGNED && value->as.i64 >= 0)
		return (uint64_t)value->as.i64;
	if (value->kind != DB_UNSIGNED)
		panic("the database has no number from 0 up where one is expected");
	return value->as.u64;
}

int64_t
db_get_i64(const struct db_rows *rows, size_t row, size_t column)
{
	const struct db_value *value = value_at(rows, row, column);
	if (value->kind == DB_UNSIGNED && value->as.u64 <= INT64_MAX)
		return (int64_t)value->as.u64;
	if (value->kind != DB_SIGNED)
		panic("the database has no number where one is expected");
	return value->as.i64;
}

bool
db_get_bool(const struct db_rows *rows, size_t row, size_t column)
{
	return db_get_i64(rows, row, column) != 0;
}

int64_t
db_get_time(const struct db_rows *rows, size_t row, size_t column)
{
	return db_is_null(rows, row, column) ? -1 : db_get_i64(rows, row, column);
}

struct slice
db_get_bytes(const struct db_rows *rows, size_t row, size_t column)
{
	const struct db_value *value = value_at(rows, row, column);
	if (value->kind != DB_NULL && value->kind != DB_BYTES)
		panic("the database has no text where one is expected");
	return value->kind == DB_NULL ? SLICE_NONE : value->as.bytes;
}
