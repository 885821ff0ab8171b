/* SPDX-License-Identifier: MIT
 * The fields of leads, campaigns and sign-ups, a line each. From these tables the preprocessor makes structs, the columns of
 * SQL statements, what reads and writes rows (store/fields.h), and what sends values to the committer (commit/codec.c).
 *
 * Types: U64, U32, I32, BOOL; TEXT, which may be absent; ID, where 0 is NULL in the database; TIME, which is always set;
 * OPTIONAL_TIME, where -1 is NULL. */
#ifndef LEADHOOK_ENGINE_FIELDS_H
#define LEADHOOK_ENGINE_FIELDS_H

#define FIELD_TYPE_U64 uint64_t
#define FIELD_TYPE_U32 uint32_t
#define FIELD_TYPE_I32 int32_t
#define FIELD_TYPE_BOOL bool
#define FIELD_TYPE_TEXT struct slice
#define FIELD_TYPE_ID uint64_t
#define FIELD_TYPE_TIME int64_t
#define FIELD_TYPE_OPTIONAL_TIME int64_t

/* clang-format off */

/* Of a lead, but for its id: X(type, column of `leads`, member of struct lead, read, written)
 *   read      SHOWN: for payloads, and in a batch; LOADED: in a batch; UNREAD
 *   written   CHANGES; ONCE: at sign-up; JOINED: it is a column of the referrer */
#define LEAD_FIELDS(X) \
	X(U64, campaign_id, campaign_id, SHOWN, ONCE) \
	X(U32, subscription_number, subscription_number, SHOWN, ONCE) \
	X(U32, counter, counter, SHOWN, CHANGES) \
	X(TEXT, social_id, social_id, SHOWN, ONCE) \
	X(ID, parent_id, parent_id, LOADED, ONCE) \
	X(TEXT, parent_social_id, parent_social_id, SHOWN, JOINED) \
	X(TEXT, email, email, SHOWN, CHANGES) \
	X(TEXT, email_key, email_key, SHOWN, CHANGES) \
	X(TEXT, email_hash, email_hash, LOADED, CHANGES) \
	X(TEXT, phone, phone, SHOWN, CHANGES) \
	X(TEXT, phone_hash, phone_hash, LOADED, CHANGES) \
	X(BOOL, verified_email, verified_email, SHOWN, CHANGES) \
	X(BOOL, verified_phone, verified_phone, SHOWN, CHANGES) \
	X(BOOL, waitlisted, waitlisted, SHOWN, CHANGES) \
	X(BOOL, removed_from_waitlist, removed_from_waitlist, LOADED, CHANGES) \
	X(BOOL, opted_out, opted_out, SHOWN, CHANGES) \
	X(BOOL, sms_opted_out, sms_opted_out, SHOWN, CHANGES) \
	X(TEXT, custom_fields, custom_fields, SHOWN, CHANGES) \
	X(TEXT, utm, utm, SHOWN, CHANGES) \
	X(TEXT, uid, uid, SHOWN, CHANGES) \
	X(TEXT, redirect_url, redirect_url, SHOWN, CHANGES) \
	X(BOOL, redirect_by_key, redirect_by_key, SHOWN, CHANGES) \
	X(TEXT, ip, ip, SHOWN, CHANGES) \
	X(TEXT, user_agent, user_agent, LOADED, CHANGES) \
	X(TEXT, referrer, referrer, SHOWN, ONCE) \
	X(TEXT, source, source, LOADED, ONCE) \
	X(ID, source_id, source_id, LOADED, ONCE) \
	X(TEXT, signup_url, signup_url, UNREAD, ONCE) \
	X(TEXT, session_id, session_id, UNREAD, ONCE) \
	X(TEXT, request_id, request_id, UNREAD, ONCE) \
	X(BOOL, fraudulent, fraudulent, SHOWN, CHANGES) \
	X(TEXT, fraud_flags, fraud_flags, LOADED, CHANGES) \
	X(U32, times_flagged, times_flagged, LOADED, CHANGES) \
	X(BOOL, announced, announced, LOADED, CHANGES) \
	X(U32, score, score, SHOWN, CHANGES) \
	X(U32, referrals, referrals, SHOWN, CHANGES) \
	X(U32, unverified_direct, unverified.direct, SHOWN, CHANGES) \
	X(U32, unverified_indirect, unverified.indirect, SHOWN, CHANGES) \
	X(U32, verified_direct, verified.direct, SHOWN, CHANGES) \
	X(U32, verified_indirect, verified.indirect, SHOWN, CHANGES) \
	X(TEXT, tag_ids, tag_ids, SHOWN, CHANGES) \
	X(TEXT, action_ids, action_ids, SHOWN, CHANGES) \
	X(TEXT, reward_ids, reward_ids, LOADED, CHANGES) \
	X(TIME, created_ms, created_ms, SHOWN, ONCE) \
	X(TIME, updated_ms, updated_ms, LOADED, CHANGES)

/* Settings of a campaign (docs/api.md 4.6): X(type, column and member) */
#define CAMPAIGN_SETTINGS(X) \
	X(TEXT, name) \
	X(OPTIONAL_TIME, ends_ms) \
	X(U32, jump_start) \
	X(BOOL, privacy) \
	X(BOOL, require_key) \
	X(TEXT, landing_url) \
	X(TEXT, thankyou_url) \
	X(TEXT, status_url) \
	X(U32, points_signup) \
	X(U32, points_direct) \
	X(U32, points_indirect) \
	X(U32, points_verified) \
	X(BOOL, require_verification) \
	X(BOOL, waitlist) \
	X(U32, max_per_ip) /* 0: off */ \
	X(TEXT, blocked_email_domains) /* a list, as the next two */ \
	X(TEXT, blocked_referrers) \
	X(TEXT, allowed_networks)

/* What else its row has. */
#define CAMPAIGN_FIELDS(X) \
	X(U64, id) \
	X(U64, account_id) \
	X(TIME, created_ms) \
	X(OPTIONAL_TIME, ended_ms) /* by command or noted; the end time, ends_ms, holds by itself */

/* What its row in `campaign_counters` has, apart from numbers of leads. */
#define CAMPAIGN_PROGRESS(X) \
	X(U32, last_subscription_number) \
	X(U32, ip_counted_to) /* leads per address are counted up to this number, or IP_COUNTED_ALL */

/* How many of its leads there are now (docs/api.md 4.1, stats): X(type, column of `campaign_counters`, member) */
#define CAMPAIGN_COUNTERS(X) \
	X(U32, lead_count, leads) \
	X(U32, verified, verified) \
	X(U32, waitlisted, waitlisted) \
	X(U32, removed_from_waitlist, removed_from_waitlist) \
	X(U32, fraudulent, fraudulent) \
	X(U32, opted_out, opted_out) \
	X(U32, referred, referred)

/* What a sign-up brings beside its custom fields (docs/api.md 4.3, 4.4): X(type, member of struct signup) */
#define SIGNUP_FIELDS(X) \
	X(TEXT, email) /* as typed */ \
	X(TEXT, email_key) /* identity */ \
	X(TEXT, phone) /* E.164 */ \
	X(TEXT, subject) /* social id of the lead to update */ \
	X(TEXT, referrer_id) /* social id of the lead that referred a new one */ \
	X(TEXT, utm) /* a JSON object */ \
	X(TEXT, uid) \
	X(TEXT, redirect_url) \
	X(TEXT, ip) \
	X(TEXT, user_agent) \
	X(TEXT, referrer) \
	X(TEXT, source) \
	X(TEXT, signup_url) \
	X(TEXT, session_id) \
	X(TEXT, request_id) \
	X(U64, source_id) \
	X(BOOL, must_exist) \
	X(BOOL, keep_opt_out) \
	X(BOOL, replace_ip) /* given with a key: also on an existing lead */ \
	X(BOOL, replace_user_agent) /* as replace_ip */ \
	X(I32, points) /* custom points that came with it; 0: none */

/* clang-format on */

/* The member of a struct. */
#define FIELD_MEMBER(type, member) FIELD_TYPE_##type member;

#endif
