/* SPDX-License-Identifier: MIT
 * The fields of engine/model_fields.h as SQL columns and row values. */
#pragma once

#include "engine/model_fields.h"

#define FIELD_READ_U64(r) row_u64(r)
#define FIELD_READ_U32(r) row_u32(r)
#define FIELD_READ_BOOL(r) row_bool(r)
#define FIELD_READ_TEXT(r) row_bytes(r)
#define FIELD_READ_ID(r) row_id(r)
#define FIELD_READ_TIME(r) row_i64(r)
#define FIELD_READ_OPTIONAL_TIME(r) row_time(r)

#define FIELD_VALUE_U64(value) DB_U64(value)
#define FIELD_VALUE_U32(value) DB_U64(value)
#define FIELD_VALUE_BOOL(value) DB_BOOL(value)
#define FIELD_VALUE_TEXT(value) db_bytes(value)
#define FIELD_VALUE_ID(value) store_id_or_null(value)
#define FIELD_VALUE_TIME(value) DB_I64(value)
#define FIELD_VALUE_OPTIONAL_TIME(value) db_time(value)

/* Code for a lead's field, by its line in LEAD_FIELDS: in statements of batches, in statements for payloads, in an INSERT, in
 * an UPDATE. */
#define FIELD_IF_BATCH_READS_PAYLOADS(...) __VA_ARGS__
#define FIELD_IF_BATCH_READS_BATCHES(...) __VA_ARGS__
#define FIELD_IF_BATCH_READS_NEVER(...)
#define FIELD_IF_PAYLOAD_READS_PAYLOADS(...) __VA_ARGS__
#define FIELD_IF_PAYLOAD_READS_BATCHES(...)
#define FIELD_IF_PAYLOAD_READS_NEVER(...)
#define FIELD_IF_WRITTEN_ON_CHANGE(...) __VA_ARGS__
#define FIELD_IF_WRITTEN_AT_SIGNUP(...) __VA_ARGS__
#define FIELD_IF_WRITTEN_OF_REFERRER(...)
#define FIELD_IF_WRITTEN_OF_LINKS(...)
#define FIELD_IF_UPDATED_ON_CHANGE(...) __VA_ARGS__
#define FIELD_IF_UPDATED_AT_SIGNUP(...)
#define FIELD_IF_UPDATED_OF_REFERRER(...)
#define FIELD_IF_UPDATED_OF_LINKS(...)

/* Whether the lead `l` has referred another. A scalar subquery, which the server never answers by reading all links. */
#define LEAD_HAS_REFERRED \
	"(SELECT 1 FROM {prefix}referral_links k WHERE k.ancestor_id = l.id AND k.level = 1 LIMIT 1) IS NOT NULL"

/* A column of the lead's own row or of its referrer's, or one that is derived from the lead's links. */
#define FIELD_COLUMN_ON_CHANGE(column) ", l." #column
#define FIELD_COLUMN_AT_SIGNUP(column) ", l." #column
#define FIELD_COLUMN_OF_REFERRER(column) ", p.social_id"
#define FIELD_COLUMN_OF_LINKS(column) ", " LEAD_HAS_REFERRED
