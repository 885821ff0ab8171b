/* SPDX-License-Identifier: MIT
 * The fields of engine/fields.h as SQL columns and row values. */
#ifndef LEADHOOK_STORE_FIELDS_H
#define LEADHOOK_STORE_FIELDS_H

#include "engine/fields.h"

#define FIELD_READ_U64(rows, row, column) db_get_u64(rows, row, column)
#define FIELD_READ_U32(rows, row, column) store_get_u32(rows, row, column)
#define FIELD_READ_BOOL(rows, row, column) db_get_bool(rows, row, column)
#define FIELD_READ_TEXT(rows, row, column) db_get_bytes(rows, row, column)
#define FIELD_READ_ID(rows, row, column) store_get_id(rows, row, column)
#define FIELD_READ_TIME(rows, row, column) db_get_i64(rows, row, column)
#define FIELD_READ_OPTIONAL_TIME(rows, row, column) db_get_time(rows, row, column)

#define FIELD_VALUE_U64(value) DB_U64(value)
#define FIELD_VALUE_U32(value) DB_U64(value)
#define FIELD_VALUE_BOOL(value) DB_BOOL(value)
#define FIELD_VALUE_TEXT(value) db_bytes(value)
#define FIELD_VALUE_ID(value) store_id_or_null(value)
#define FIELD_VALUE_TIME(value) DB_I64(value)
#define FIELD_VALUE_OPTIONAL_TIME(value) db_time(value)

/* The code generated for a lead's field where it is loaded in a batch, shown, inserted, or updated. */
#define FIELD_IF_LOADED_SHOWN(...) __VA_ARGS__
#define FIELD_IF_LOADED_LOADED(...) __VA_ARGS__
#define FIELD_IF_LOADED_UNREAD(...)
#define FIELD_IF_SHOWN_SHOWN(...) __VA_ARGS__
#define FIELD_IF_SHOWN_LOADED(...)
#define FIELD_IF_SHOWN_UNREAD(...)
#define FIELD_IF_WRITTEN_CHANGES(...) __VA_ARGS__
#define FIELD_IF_WRITTEN_ONCE(...) __VA_ARGS__
#define FIELD_IF_WRITTEN_JOINED(...)
#define FIELD_IF_CHANGES_CHANGES(...) __VA_ARGS__
#define FIELD_IF_CHANGES_ONCE(...)
#define FIELD_IF_CHANGES_JOINED(...)

/* A lead's column, of the lead or of its referrer. */
#define FIELD_COLUMN_CHANGES(column) ", l." #column
#define FIELD_COLUMN_ONCE(column) ", l." #column
#define FIELD_COLUMN_JOINED(column) ", p.social_id"

#endif
