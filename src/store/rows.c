/* SPDX-License-Identifier: MIT
 * Rows as the rules' values. */
#include "store/private.h"

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
	return (struct lead){
		.id = db_get_u64(rows, row, LEAD_ID),
		.campaign_id = db_get_u64(rows, row, LEAD_CAMPAIGN_ID),
		.subscription_number = store_get_u32(rows, row, LEAD_SUBSCRIPTION_NUMBER),
		.counter = store_get_u32(rows, row, LEAD_COUNTER),
		.social_id = db_get_bytes(rows, row, LEAD_SOCIAL_ID),
		.parent_id = store_get_id(rows, row, LEAD_PARENT_ID),
		.parent_social_id = db_get_bytes(rows, row, LEAD_PARENT_SOCIAL_ID),
		.email = db_get_bytes(rows, row, LEAD_EMAIL),
		.email_key = db_get_bytes(rows, row, LEAD_EMAIL_KEY),
		.email_hash = db_get_bytes(rows, row, LEAD_EMAIL_HASH),
		.phone = db_get_bytes(rows, row, LEAD_PHONE),
		.phone_hash = db_get_bytes(rows, row, LEAD_PHONE_HASH),
		.verified_email = db_get_bool(rows, row, LEAD_VERIFIED_EMAIL),
		.verified_phone = db_get_bool(rows, row, LEAD_VERIFIED_PHONE),
		.waitlisted = db_get_bool(rows, row, LEAD_WAITLISTED),
		.removed_from_waitlist = db_get_bool(rows, row, LEAD_REMOVED_FROM_WAITLIST),
		.opted_out = db_get_bool(rows, row, LEAD_OPTED_OUT),
		.sms_opted_out = db_get_bool(rows, row, LEAD_SMS_OPTED_OUT),
		.custom_fields = db_get_bytes(rows, row, LEAD_CUSTOM_FIELDS),
		.utm = db_get_bytes(rows, row, LEAD_UTM),
		.uid = db_get_bytes(rows, row, LEAD_UID),
		.redirect_url = db_get_bytes(rows, row, LEAD_REDIRECT_URL),
		.redirect_by_key = db_get_bool(rows, row, LEAD_REDIRECT_BY_KEY),
		.ip = db_get_bytes(rows, row, LEAD_IP),
		.user_agent = db_get_bytes(rows, row, LEAD_USER_AGENT),
		.referrer = db_get_bytes(rows, row, LEAD_REFERRER),
		.source = db_get_bytes(rows, row, LEAD_SOURCE),
		.source_id = store_get_id(rows, row, LEAD_SOURCE_ID),
		.fraudulent = db_get_bool(rows, row, LEAD_FRAUDULENT),
		.fraud_flags = db_get_bytes(rows, row, LEAD_FRAUD_FLAGS),
		.times_flagged = store_get_u32(rows, row, LEAD_TIMES_FLAGGED),
		.announced = db_get_bool(rows, row, LEAD_ANNOUNCED),
		.score = store_get_u32(rows, row, LEAD_SCORE),
		.referrals = store_get_u32(rows, row, LEAD_REFERRALS),
		.unverified = { store_get_u32(rows, row, LEAD_UNVERIFIED_DIRECT),
		    store_get_u32(rows, row, LEAD_UNVERIFIED_INDIRECT) },
		.verified = { store_get_u32(rows, row, LEAD_VERIFIED_DIRECT),
		    store_get_u32(rows, row, LEAD_VERIFIED_INDIRECT) },
		.tag_ids = db_get_bytes(rows, row, LEAD_TAG_IDS),
		.action_ids = db_get_bytes(rows, row, LEAD_ACTION_IDS),
		.reward_ids = db_get_bytes(rows, row, LEAD_REWARD_IDS),
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
		.jump_start = store_get_u32(rows, row, CAMPAIGN_JUMP_START),
		.privacy = db_get_bool(rows, row, CAMPAIGN_PRIVACY),
		.require_key = db_get_bool(rows, row, CAMPAIGN_REQUIRE_KEY),
		.landing_url = db_get_bytes(rows, row, CAMPAIGN_LANDING_URL),
		.thankyou_url = db_get_bytes(rows, row, CAMPAIGN_THANKYOU_URL),
		.status_url = db_get_bytes(rows, row, CAMPAIGN_STATUS_URL),
		.points_signup = store_get_u32(rows, row, CAMPAIGN_POINTS_SIGNUP),
		.points_direct = store_get_u32(rows, row, CAMPAIGN_POINTS_DIRECT),
		.points_indirect = store_get_u32(rows, row, CAMPAIGN_POINTS_INDIRECT),
		.points_verified = store_get_u32(rows, row, CAMPAIGN_POINTS_VERIFIED),
		.require_verification = db_get_bool(rows, row, CAMPAIGN_REQUIRE_VERIFICATION),
		.waitlist = db_get_bool(rows, row, CAMPAIGN_WAITLIST),
		.max_per_ip = store_get_u32(rows, row, CAMPAIGN_MAX_PER_IP),
		.blocked_email_domains = db_get_bytes(rows, row, CAMPAIGN_BLOCKED_EMAIL_DOMAINS),
		.blocked_referrers = db_get_bytes(rows, row, CAMPAIGN_BLOCKED_REFERRERS),
		.allowed_networks = db_get_bytes(rows, row, CAMPAIGN_ALLOWED_NETWORKS),
		.last_subscription_number = store_get_u32(rows, row, CAMPAIGN_LAST_SUBSCRIPTION_NUMBER),
		.ip_counted_to = store_get_u32(rows, row, CAMPAIGN_IP_COUNTED_TO),
		.counters = {
			.leads = store_get_u32(rows, row, CAMPAIGN_LEAD_COUNT),
			.verified = store_get_u32(rows, row, CAMPAIGN_VERIFIED),
			.waitlisted = store_get_u32(rows, row, CAMPAIGN_WAITLISTED),
			.removed_from_waitlist = store_get_u32(rows, row, CAMPAIGN_REMOVED_FROM_WAITLIST),
			.fraudulent = store_get_u32(rows, row, CAMPAIGN_FRAUDULENT),
			.opted_out = store_get_u32(rows, row, CAMPAIGN_OPTED_OUT),
			.referred = store_get_u32(rows, row, CAMPAIGN_REFERRED),
		},
	};
}

struct rank_node *
store_nodes_from_rows(struct pool *pool, const struct db_rows *rows, size_t *count)
{
	struct rank_node *nodes = POOL_ARRAY(pool, rows->count, struct rank_node);
	*count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		struct rank_node *node = &nodes[*count];
		if (db_is_null(rows, i, HISTOGRAM_NODE))
			continue;
		node->node = db_get_u64(rows, i, HISTOGRAM_NODE);
		for (size_t slot = 0; slot < RANK_SLOTS; slot++)
			node->leads[slot] = db_get_i64(rows, i, HISTOGRAM_SLOTS + slot);
		(*count)++;
	}
	rank_sort(nodes, *count);
	return nodes;
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
store_webhook_from_row(const struct db_rows *rows, size_t row)
{
	return (struct webhook_row){
		.id = db_get_u64(rows, row, WEBHOOK_ID),
		.campaign_id = db_get_u64(rows, row, WEBHOOK_CAMPAIGN_ID),
		.url = db_get_bytes(rows, row, WEBHOOK_URL),
		.source = db_get_bytes(rows, row, WEBHOOK_SOURCE),
		.secret = db_get_bytes(rows, row, WEBHOOK_SECRET),
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
