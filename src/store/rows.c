/* SPDX-License-Identifier: MIT */
#include "store/rows.h"

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
row_lead(struct row_reader *r)
{
	struct lead lead = { .id = row_u64(r) };
#define READ(type, column, read_for, written, in_payload) FIELD_IF_BATCH_READS_##read_for(lead.column = FIELD_READ_##type(r);)
	LEAD_FIELDS(READ)
#undef READ
	return lead;
}

struct lead
row_shown_lead(struct row_reader *r)
{
	struct lead lead = { .id = row_u64(r) };
#define READ(type, column, read_for, written, in_payload) FIELD_IF_PAYLOAD_READS_##read_for(lead.column = FIELD_READ_##type(r);)
	LEAD_FIELDS(READ)
#undef READ
	return lead;
}

struct campaign
row_campaign(struct row_reader *r)
{
	struct campaign campaign = { 0 };
#define READ(type, member) campaign.member = FIELD_READ_##type(r);
#define READ_COUNTER(type, column, member) campaign.counters.member = FIELD_READ_##type(r);
	CAMPAIGN_FIELDS(READ)
	CAMPAIGN_SETTINGS(READ)
	CAMPAIGN_PROGRESS(READ)
	CAMPAIGN_COUNTERS(READ_COUNTER)
#undef READ
#undef READ_COUNTER
	campaign.account_suspended = row_bool(r);
	return campaign;
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
