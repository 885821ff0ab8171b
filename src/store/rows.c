/* SPDX-License-Identifier: MIT
 * Rows as the rules' values. */
#include "store/private.h"

static uint64_t
id_or_zero(const struct db_rows *rows, size_t row, size_t column)
{
	return db_is_null(rows, row, column) ? 0 : db_get_u64(rows, row, column);
}

struct lead
store_lead_from_row(const struct db_rows *rows, size_t row)
{
	return (struct lead){
		.id = db_get_u64(rows, row, LEAD_ID),
		.campaign_id = db_get_u64(rows, row, LEAD_CAMPAIGN_ID),
		.subscription_number = (uint32_t)db_get_u64(rows, row, LEAD_SUBSCRIPTION_NUMBER),
		.counter = (uint32_t)db_get_u64(rows, row, LEAD_COUNTER),
		.social_id = db_get_bytes(rows, row, LEAD_SOCIAL_ID),
		.parent_id = id_or_zero(rows, row, LEAD_PARENT_ID),
		.parent_social_id = db_get_bytes(rows, row, LEAD_PARENT_SOCIAL_ID),
		.email = db_get_bytes(rows, row, LEAD_EMAIL),
		.email_key = db_get_bytes(rows, row, LEAD_EMAIL_KEY),
		.email_hash = db_get_bytes(rows, row, LEAD_EMAIL_HASH),
		.phone = db_get_bytes(rows, row, LEAD_PHONE),
		.phone_hash = db_get_bytes(rows, row, LEAD_PHONE_HASH),
		.verified_email = db_get_bool(rows, row, LEAD_VERIFIED_EMAIL),
		.verified_phone = db_get_bool(rows, row, LEAD_VERIFIED_PHONE),
		.waitlisted = db_get_bool(rows, row, LEAD_WAITLISTED),
		.opted_out = db_get_bool(rows, row, LEAD_OPTED_OUT),
		.sms_opted_out = db_get_bool(rows, row, LEAD_SMS_OPTED_OUT),
		.custom_fields = db_get_bytes(rows, row, LEAD_CUSTOM_FIELDS),
		.utm = db_get_bytes(rows, row, LEAD_UTM),
		.uid = db_get_bytes(rows, row, LEAD_UID),
		.redirect_url = db_get_bytes(rows, row, LEAD_REDIRECT_URL),
		.ip = db_get_bytes(rows, row, LEAD_IP),
		.user_agent = db_get_bytes(rows, row, LEAD_USER_AGENT),
		.referrer = db_get_bytes(rows, row, LEAD_REFERRER),
		.source = db_get_bytes(rows, row, LEAD_SOURCE),
		.source_id = id_or_zero(rows, row, LEAD_SOURCE_ID),
		.created_ms = db_get_i64(rows, row, LEAD_CREATED_MS),
		.updated_ms = db_get_i64(rows, row, LEAD_UPDATED_MS),
	};
}

struct campaign
store_campaign_from_row(const struct db_rows *rows, size_t row)
{
	return (struct campaign){
		.id = db_get_u64(rows, row, CAMPAIGN_ID),
		.account_id = db_get_u64(rows, row, CAMPAIGN_ACCOUNT_ID),
		.name = db_get_bytes(rows, row, CAMPAIGN_NAME),
		.created_ms = db_get_i64(rows, row, CAMPAIGN_CREATED_MS),
		.account_suspended = db_get_bool(rows, row, CAMPAIGN_ACCOUNT_SUSPENDED),
		.ended_ms = db_get_time(rows, row, CAMPAIGN_ENDED_MS),
		.ends_ms = db_get_time(rows, row, CAMPAIGN_ENDS_MS),
		.jump_start = (uint32_t)db_get_u64(rows, row, CAMPAIGN_JUMP_START),
		.privacy = db_get_bool(rows, row, CAMPAIGN_PRIVACY),
		.require_key = db_get_bool(rows, row, CAMPAIGN_REQUIRE_KEY),
		.landing_url = db_get_bytes(rows, row, CAMPAIGN_LANDING_URL),
		.thankyou_url = db_get_bytes(rows, row, CAMPAIGN_THANKYOU_URL),
		.status_url = db_get_bytes(rows, row, CAMPAIGN_STATUS_URL),
		.last_subscription_number = (uint32_t)db_get_u64(rows, row, CAMPAIGN_LAST_SUBSCRIPTION_NUMBER),
		.lead_count = (uint32_t)db_get_u64(rows, row, CAMPAIGN_LEAD_COUNT),
	};
}

enum webhook_state
store_webhook_state(struct slice name)
{
	enum webhook_state state = WEBHOOK_MISSING;
	return slice_present(name) && webhook_state_parse(name, &state) ? state : WEBHOOK_MISSING;
}

bool
store_is_form(struct slice format)
{
	return slice_equal(format, SLICE("form"));
}
