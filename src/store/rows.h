/* SPDX-License-Identifier: MIT
 * Rows of the database as structs, and values as the columns have them (store/statements.h, store/fields.h).
 *
 * Texts of a struct are those of its row, in the row's pool. Nothing here can fail: an unknown state is WEBHOOK_MISSING, an
 * unknown format is JSON, an unknown count of a referral is REFERRAL_NOT_COUNTED. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "engine/command.h"
#include "engine/model.h"
#include "store/store.h"

uint32_t store_get_u32(const struct db_rows *rows, size_t row, size_t column);
struct lead store_lead_from_row(const struct db_rows *rows, size_t row);
/* The columns that payloads need. */
struct lead store_shown_lead_from_row(const struct db_rows *rows, size_t row);
struct campaign store_campaign_from_row(const struct db_rows *rows, size_t row);
enum webhook_state store_webhook_state(struct slice name);
/* A row of sql_select_webhook…. Its URL is absent where it cannot be opened. */
struct webhook_row store_webhook_from_row(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row);
/* An HTTP status; NULL is 0. */
int store_get_status_code(const struct db_rows *rows, size_t row, size_t column);
bool store_is_form(struct slice format);
/* NULL is 0. */
struct db_value store_id_or_null(uint64_t id);
uint64_t store_get_id(const struct db_rows *rows, size_t row, size_t column);
/* The value that a lead's row has for this reference: in `email_hash`, `phone_hash`, `social_id` or `id`. */
struct db_value store_reference_value(struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference);
/* The name in the schema, and the reverse. */
struct slice store_counted_name(enum referral_counted counted);
enum referral_counted store_counted(struct slice name);
