/* SPDX-License-Identifier: MIT
 * Rows of the database as structs, and values in the form that columns have (store/statements.h, store/fields.h).
 *
 * Texts of a struct are those of its row, in the row's pool. Nothing here can fail: an unknown state becomes WEBHOOK_MISSING,
 * an unknown format JSON, an unknown count of a referral REFERRAL_NOT_COUNTED. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "engine/command.h"
#include "engine/model.h"
#include "store/store.h"

uint32_t store_get_u32(const struct db_rows *rows, size_t row, size_t column);
/* NULL is 0. */
uint64_t store_get_id(const struct db_rows *rows, size_t row, size_t column);
/* The status of an answer; NULL is 0. */
int store_get_status_code(const struct db_rows *rows, size_t row, size_t column);

/* Reads a row column by column from the first one: each function returns the next value. */
struct row_reader {
	const struct db_rows *rows;
	size_t row, next;
};
#define ROW(rows, row) (&(struct row_reader){ (rows), (row), 0 })
static inline uint64_t
row_u64(struct row_reader *r)
{
	return db_get_u64(r->rows, r->row, r->next++);
}
static inline int64_t
row_i64(struct row_reader *r)
{
	return db_get_i64(r->rows, r->row, r->next++);
}
static inline uint32_t
row_u32(struct row_reader *r)
{
	return store_get_u32(r->rows, r->row, r->next++);
}
static inline bool
row_bool(struct row_reader *r)
{
	return db_get_bool(r->rows, r->row, r->next++);
}
/* NULL is -1. */
static inline int64_t
row_time(struct row_reader *r)
{
	return db_get_time(r->rows, r->row, r->next++);
}
/* NULL is absent. */
static inline struct slice
row_bytes(struct row_reader *r)
{
	return db_get_bytes(r->rows, r->row, r->next++);
}
/* NULL is 0. */
static inline uint64_t
row_id(struct row_reader *r)
{
	return store_get_id(r->rows, r->row, r->next++);
}
/* NULL is 0. */
static inline int
row_status(struct row_reader *r)
{
	return store_get_status_code(r->rows, r->row, r->next++);
}

/* Columns: LEAD_COLUMNS. */
struct lead row_lead(struct row_reader *r);
/* Columns: SHOWN_COLUMNS. */
struct lead row_shown_lead(struct row_reader *r);
/* Columns of SELECT_CAMPAIGN_USING, except the time, which comes last and is left to the caller. */
struct campaign row_campaign(struct row_reader *r);

enum webhook_state store_webhook_state(struct slice name);
bool store_is_form(struct slice format);
/* 0 is NULL. */
struct db_value store_id_or_null(uint64_t id);
/* The value that a lead's row contains for this reference: in `email_hash`, `phone_hash`, `social_id` or `id`. */
struct db_value store_reference_value(struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference);
/* The name in the schema, and the value for such a name. */
struct slice store_counted_name(enum referral_counted counted);
enum referral_counted store_counted(struct slice name);
