/* SPDX-License-Identifier: MIT
 * Rows as values of the rules. */
#include "store/rows.h"
#include "store/secrets.h"

#include "store/statements.h"

struct db_value
store_id_or_null(uint64_t id)
{
	return id == 0 ? DB_NONE : DB_U64(id);
}

uint64_t
store_get_id(const struct db_rows *rows, size_t row, size_t column)
{
	return db_is_null(rows, row, column) ? 0 : db_get_u64(rows, row, column);
}

uint32_t
store_get_u32(const struct db_rows *rows, size_t row, size_t column)
{
	return (uint32_t)db_get_u64(rows, row, column);
}

struct lead
store_lead_from_row(const struct db_rows *rows, size_t row)
{
#define READ(type, column, read_for, written, in_payload) \
	FIELD_IF_BATCH_READS_##read_for(.column = FIELD_READ_##type(rows, row, LEAD_##column), )
	return (struct lead){ .id = db_get_u64(rows, row, LEAD_id), LEAD_FIELDS(READ) };
#undef READ
}

struct lead
store_shown_lead_from_row(const struct db_rows *rows, size_t row)
{
#define READ(type, column, read_for, written, in_payload) \
	FIELD_IF_PAYLOAD_READS_##read_for(.column = FIELD_READ_##type(rows, row, SHOWN_##column), )
	return (struct lead){ .id = db_get_u64(rows, row, SHOWN_id), LEAD_FIELDS(READ) };
#undef READ
}

struct campaign
store_campaign_from_row(const struct db_rows *rows, size_t row)
{
#define READ(type, member) .member = FIELD_READ_##type(rows, row, CAMPAIGN_##member),
#define READ_COUNTER(type, column, member) .counters.member = FIELD_READ_##type(rows, row, CAMPAIGN_counted_##member),
	return (struct campaign){
		CAMPAIGN_FIELDS(READ) CAMPAIGN_SETTINGS(READ) CAMPAIGN_PROGRESS(READ) CAMPAIGN_COUNTERS(READ_COUNTER)
		    .account_suspended = db_get_bool(rows, row, CAMPAIGN_ACCOUNT_SUSPENDED),
	};
#undef READ
#undef READ_COUNTER
}

enum webhook_state
store_webhook_state(struct slice name)
{
	enum webhook_state state = WEBHOOK_MISSING;
	return slice_present(name) && webhook_state_parse(name, &state) ? state : WEBHOOK_MISSING;
}

int
store_get_status_code(const struct db_rows *rows, size_t row, size_t column)
{
	return db_is_null(rows, row, column) ? 0 : (int)db_get_i64(rows, row, column);
}

struct webhook_row
store_webhook_from_row(struct store *store, struct pool *pool, const struct db_rows *rows, size_t row)
{
	const uint64_t id = db_get_u64(rows, row, WEBHOOK_ID);
	return (struct webhook_row){
		.id = id,
		.campaign_id = db_get_u64(rows, row, WEBHOOK_CAMPAIGN_ID),
		.url = store_open_shown(store, pool, URL_OF_WEBHOOK(id), db_get_bytes(rows, row, WEBHOOK_URL)),
		.source = db_get_bytes(rows, row, WEBHOOK_SOURCE),
		.events = (uint32_t)db_get_u64(rows, row, WEBHOOK_EVENTS),
		.form = store_is_form(db_get_bytes(rows, row, WEBHOOK_FORMAT)),
		.state = store_webhook_state(db_get_bytes(rows, row, WEBHOOK_STATE)),
		.failing_since_ms = db_get_time(rows, row, WEBHOOK_FAILING_SINCE_MS),
		.last_delivery_ms = db_get_time(rows, row, WEBHOOK_LAST_DELIVERY_MS),
		.status = store_get_status_code(rows, row, WEBHOOK_LAST_STATUS),
	};
}

bool
store_is_form(struct slice format)
{
	return slice_equal(format, SLICE("form"));
}

struct db_value
store_reference_value(struct pool *pool, uint64_t campaign_id, const struct lead_reference *reference)
{
	switch (reference->identity) {
	case LEAD_BY_EMAIL:
		return db_bytes(lead_email_hash(pool, campaign_id, reference->value));
	case LEAD_BY_PHONE:
		return db_bytes(lead_phone_hash(pool, campaign_id, reference->value));
	case LEAD_BY_SOCIAL_ID:
		return db_bytes(reference->value);
	case LEAD_BY_ID:
		break;
	}
	return DB_U64(reference->id);
}

static const struct slice counted_names[] = {
	[REFERRAL_NOT_COUNTED] = SLICE("no"),
	[REFERRAL_UNVERIFIED] = SLICE("unverified"),
	[REFERRAL_VERIFIED] = SLICE("verified"),
};

struct slice
store_counted_name(enum referral_counted counted)
{
	return counted_names[counted];
}

enum referral_counted
store_counted(struct slice name)
{
	return slice_equal(name, counted_names[REFERRAL_VERIFIED])     ? REFERRAL_VERIFIED
	       : slice_equal(name, counted_names[REFERRAL_UNVERIFIED]) ? REFERRAL_UNVERIFIED
								       : REFERRAL_NOT_COUNTED;
}
