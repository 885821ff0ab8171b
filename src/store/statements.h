/* SPDX-License-Identifier: MIT
 * SQL: each file of the store has its statements at its top, and lists them for the table of all. What several files share
 * is here. */
#ifndef LEADHOOK_STORE_STATEMENTS_H
#define LEADHOOK_STORE_STATEMENTS_H

#include "db/db.h"
#include "engine/rank.h"

/* Every list of statements, NULL ends them. `make check` prepares and explains each statement on a fresh schema. */
extern const struct db_statement *const *const store_statements[];
/* Run on each new connection. */
extern const char *const store_session[];

/* Of one file; NULL ends it. */
typedef const struct db_statement *const store_statement_list[];
extern store_statement_list sql_of_admin, sql_of_bulk, sql_of_campaign_cache, sql_of_check, sql_of_completion, sql_of_deep,
    sql_of_definitions, sql_of_deliveries, sql_of_dispatch, sql_of_jobs, sql_of_load, sql_of_look, sql_of_maintenance,
    sql_of_mark, sql_of_partitions, sql_of_rank_cache, sql_of_read, sql_of_redeliver, sql_of_schema, sql_of_show, sql_of_store,
    sql_of_upgrade, sql_of_webhook_admin, sql_of_webhooks, sql_of_write;

extern const struct db_statement sql_lock_counters, sql_select_server_version;

/* clang-format off */

/* The database's time in milliseconds; UNIX_TIMESTAMP would end in 2038. */
#define NOW "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"

/* In this order: a few accounts may have very many campaigns. */
#define SELECT_CAMPAIGN_USING(index) \
	"SELECT c.id, c.account_id, c.name, c.created_ms, a.suspended_ms IS NOT NULL, c.ended_ms, c.ends_ms," \
	" c.jump_start, c.privacy, c.require_key, c.landing_url, c.thankyou_url, c.status_url, c.points_signup," \
	" c.points_direct, c.points_indirect, c.points_verified, c.require_verification, c.waitlist, c.max_per_ip," \
	" c.blocked_email_domains, c.blocked_referrers, c.allowed_networks, n.last_subscription_number," \
	" n.ip_counted_to, n.lead_count, n.verified, n.waitlisted, n.removed_from_waitlist, n.fraudulent," \
	" n.opted_out, n.referred, " NOW \
	" FROM {prefix}campaigns c " index \
	" STRAIGHT_JOIN {prefix}accounts a ON a.id = c.account_id" \
	" STRAIGHT_JOIN {prefix}campaign_counters n ON n.campaign_id = c.id"

#define WEBHOOK_COLUMNS \
	"w.id, w.campaign_id, w.url, w.source, w.secret, w.events, w.format, w.state, s.failing_since_ms," \
	" s.last_delivery_ms, s.last_status"

#define FROM_WEBHOOKS " FROM {prefix}webhooks w JOIN {prefix}webhook_status s ON s.webhook_id = w.id"

#define LOCK_COUNTERS \
	"SELECT campaign_id, settings_version, leads_version, last_subscription_number, ip_counted_to, lead_count," \
	" verified, waitlisted, removed_from_waitlist, fraudulent, opted_out, referred, " NOW \
	" FROM {prefix}campaign_counters" \
	" WHERE campaign_id IN ({list})" \
	" ORDER BY campaign_id" \
	" FOR UPDATE"

#define RANK_SLOT_COLUMNS "s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15"

/* clang-format on */

/* Columns of every sql_select_lead… that answers leads, in order. */
enum lead_column {
	LEAD_ID,
	LEAD_CAMPAIGN_ID,
	LEAD_SUBSCRIPTION_NUMBER,
	LEAD_COUNTER,
	LEAD_SOCIAL_ID,
	LEAD_PARENT_ID,
	LEAD_PARENT_SOCIAL_ID,
	LEAD_EMAIL,
	LEAD_EMAIL_KEY,
	LEAD_EMAIL_HASH,
	LEAD_PHONE,
	LEAD_PHONE_HASH,
	LEAD_VERIFIED_EMAIL,
	LEAD_VERIFIED_PHONE,
	LEAD_WAITLISTED,
	LEAD_REMOVED_FROM_WAITLIST,
	LEAD_OPTED_OUT,
	LEAD_SMS_OPTED_OUT,
	LEAD_CUSTOM_FIELDS,
	LEAD_UTM,
	LEAD_UID,
	LEAD_REDIRECT_URL,
	LEAD_REDIRECT_BY_KEY,
	LEAD_IP,
	LEAD_USER_AGENT,
	LEAD_REFERRER,
	LEAD_SOURCE,
	LEAD_SOURCE_ID,
	LEAD_FRAUDULENT,
	LEAD_FRAUD_FLAGS,
	LEAD_TIMES_FLAGGED,
	LEAD_ANNOUNCED,
	LEAD_SCORE,
	LEAD_REFERRALS,
	LEAD_UNVERIFIED_DIRECT,
	LEAD_UNVERIFIED_INDIRECT,
	LEAD_VERIFIED_DIRECT,
	LEAD_VERIFIED_INDIRECT,
	LEAD_TAG_IDS,
	LEAD_ACTION_IDS,
	LEAD_REWARD_IDS,
	LEAD_CREATED_MS,
	LEAD_UPDATED_MS
};

/* Columns of what is read to be shown - sql_look_up…, pages -, in order: of a lead what payloads need, which is a third less.
 */
enum shown_column {
	SHOWN_ID,
	SHOWN_SUBSCRIPTION_NUMBER,
	SHOWN_COUNTER,
	SHOWN_SOCIAL_ID,
	SHOWN_PARENT_SOCIAL_ID,
	SHOWN_EMAIL,
	SHOWN_EMAIL_KEY,
	SHOWN_PHONE,
	SHOWN_VERIFIED_EMAIL,
	SHOWN_VERIFIED_PHONE,
	SHOWN_WAITLISTED,
	SHOWN_OPTED_OUT,
	SHOWN_SMS_OPTED_OUT,
	SHOWN_CUSTOM_FIELDS,
	SHOWN_UTM,
	SHOWN_UID,
	SHOWN_REDIRECT_URL,
	SHOWN_REDIRECT_BY_KEY,
	SHOWN_IP,
	SHOWN_REFERRER,
	SHOWN_FRAUDULENT,
	SHOWN_SCORE,
	SHOWN_REFERRALS,
	SHOWN_UNVERIFIED_DIRECT,
	SHOWN_UNVERIFIED_INDIRECT,
	SHOWN_VERIFIED_DIRECT,
	SHOWN_VERIFIED_INDIRECT,
	SHOWN_TAG_IDS,
	SHOWN_ACTION_IDS,
	SHOWN_CREATED_MS,
	/* sql_look_up… alone: whose it is, and the columns of sql_select_state */
	SHOWN_CAMPAIGN_ID,
	SHOWN_STATE
};

/* Columns of sql_select_state, in order. */
enum state_column { STATE_LEADS, STATE_SETTINGS_VERSION, STATE_LEADS_VERSION };

/* Columns of sql_select_histogram…, in order. */
enum histogram_column {
	HISTOGRAM_NODE,
	HISTOGRAM_SLOTS,
	/* sql_select_histogram_and_version alone; its node is NULL where none of them has a row */
	HISTOGRAM_LEADS_VERSION = HISTOGRAM_SLOTS + RANK_SLOTS
};

/* Columns of sql_select_leaders, in order. */
enum leader_column {
	LEADER_ID,
	LEADER_SUBSCRIPTION_NUMBER,
	LEADER_SOCIAL_ID,
	LEADER_EMAIL,
	LEADER_PHONE,
	LEADER_CUSTOM_FIELDS,
	LEADER_SCORE
};

/* Columns of sql_select_campaign…, in order. */
enum campaign_column {
	CAMPAIGN_ID,
	CAMPAIGN_ACCOUNT_ID,
	CAMPAIGN_NAME,
	CAMPAIGN_CREATED_MS,
	CAMPAIGN_ACCOUNT_SUSPENDED,
	CAMPAIGN_ENDED_MS,
	CAMPAIGN_ENDS_MS,
	CAMPAIGN_JUMP_START,
	CAMPAIGN_PRIVACY,
	CAMPAIGN_REQUIRE_KEY,
	CAMPAIGN_LANDING_URL,
	CAMPAIGN_THANKYOU_URL,
	CAMPAIGN_STATUS_URL,
	CAMPAIGN_POINTS_SIGNUP,
	CAMPAIGN_POINTS_DIRECT,
	CAMPAIGN_POINTS_INDIRECT,
	CAMPAIGN_POINTS_VERIFIED,
	CAMPAIGN_REQUIRE_VERIFICATION,
	CAMPAIGN_WAITLIST,
	CAMPAIGN_MAX_PER_IP,
	CAMPAIGN_BLOCKED_EMAIL_DOMAINS,
	CAMPAIGN_BLOCKED_REFERRERS,
	CAMPAIGN_ALLOWED_NETWORKS,
	CAMPAIGN_LAST_SUBSCRIPTION_NUMBER,
	CAMPAIGN_IP_COUNTED_TO,
	CAMPAIGN_LEAD_COUNT,
	CAMPAIGN_VERIFIED,
	CAMPAIGN_WAITLISTED,
	CAMPAIGN_REMOVED_FROM_WAITLIST,
	CAMPAIGN_FRAUDULENT,
	CAMPAIGN_OPTED_OUT,
	CAMPAIGN_REFERRED,
	CAMPAIGN_NOW_MS
};

/* Columns of sql_select_webhook…, in order. */
enum webhook_column {
	WEBHOOK_ID,
	WEBHOOK_CAMPAIGN_ID,
	WEBHOOK_URL,
	WEBHOOK_SOURCE,
	WEBHOOK_SECRET,
	WEBHOOK_EVENTS,
	WEBHOOK_FORMAT,
	WEBHOOK_STATE,
	WEBHOOK_FAILING_SINCE_MS,
	WEBHOOK_LAST_DELIVERY_MS,
	WEBHOOK_LAST_STATUS,
	/* sql_select_webhook alone */
	WEBHOOK_LAST_ERROR,
	WEBHOOK_FAILURES,
	WEBHOOK_HELD_UNTIL_MS,
	WEBHOOK_PREVIOUS_UNTIL_MS,
	WEBHOOK_SCHEDULE,
	WEBHOOK_RATE,
	WEBHOOK_CA_FILE,
	WEBHOOK_CLIENT_CERTIFICATE,
	WEBHOOK_CLIENT_KEY
};

#endif
