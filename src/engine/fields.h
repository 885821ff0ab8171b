/* SPDX-License-Identifier: MIT
 * The fields of leads, campaigns and sign-ups, one line each. The preprocessor makes structs, the columns of SQL statements,
 * the readers and writers of rows (store/fields.h) and the committer's codec (commit/codec.c) from these tables.
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

/* Of a lead, without its id: X(type, column of `leads` and member of struct lead, read, written, shown)
 *   read      SHOWN: for payloads, and in a batch; LOADED: in a batch; UNREAD
 *   written   CHANGES; ONCE: at sign-up; JOINED: it is a column of the referrer
 *   shown     in payloads, under its name: PERSONAL: unless the campaign's `privacy` hides it; FULL: in the full view;
 *             OWN: by code of its own, or not at all */
#define LEAD_FIELDS(X) \
	X(U64, campaign_id, SHOWN, ONCE, OWN) \
	X(U32, subscription_number, SHOWN, ONCE, OWN) \
	X(U32, counter, SHOWN, CHANGES, OWN) \
	X(TEXT, social_id, SHOWN, ONCE, OWN) /* SOCIAL_ID_SIZE characters */ \
	X(ID, parent_id, LOADED, ONCE, OWN) /* 0: none */ \
	X(TEXT, parent_social_id, SHOWN, JOINED, OWN) /* absent also when the referrer was deleted */ \
	X(TEXT, email, SHOWN, CHANGES, OWN) \
	X(TEXT, email_key, SHOWN, CHANGES, OWN) \
	X(TEXT, email_hash, LOADED, CHANGES, OWN) \
	X(TEXT, phone, SHOWN, CHANGES, OWN) \
	X(TEXT, phone_hash, LOADED, CHANGES, OWN) \
	X(BOOL, verified_email, SHOWN, CHANGES, OWN) \
	X(BOOL, verified_phone, SHOWN, CHANGES, OWN) \
	X(BOOL, waitlisted, SHOWN, CHANGES, OWN) \
	X(BOOL, removed_from_waitlist, LOADED, CHANGES, OWN) \
	X(BOOL, opted_out, SHOWN, CHANGES, PERSONAL) \
	X(BOOL, sms_opted_out, SHOWN, CHANGES, PERSONAL) \
	X(TEXT, custom_fields, SHOWN, CHANGES, OWN) /* a JSON object */ \
	X(TEXT, utm, SHOWN, CHANGES, OWN) /* a JSON object */ \
	X(TEXT, uid, SHOWN, CHANGES, PERSONAL) \
	X(TEXT, redirect_url, SHOWN, CHANGES, OWN) \
	X(BOOL, redirect_by_key, SHOWN, CHANGES, OWN) /* redirect_url was stored with a key */ \
	X(TEXT, ip, SHOWN, CHANGES, FULL) \
	X(TEXT, user_agent, LOADED, CHANGES, OWN) \
	X(TEXT, referrer, SHOWN, ONCE, FULL) \
	X(TEXT, source, LOADED, ONCE, OWN) \
	X(ID, source_id, LOADED, ONCE, OWN) /* 0: none */ \
	X(TEXT, signup_url, UNREAD, ONCE, OWN) \
	X(TEXT, session_id, UNREAD, ONCE, OWN) \
	X(TEXT, request_id, UNREAD, ONCE, OWN) \
	X(BOOL, fraudulent, SHOWN, CHANGES, FULL) \
	X(TEXT, fraud_flags, LOADED, CHANGES, OWN) /* a JSON array of their names */ \
	X(U32, times_flagged, LOADED, CHANGES, OWN) /* how often it became fraudulent */ \
	X(BOOL, announced, LOADED, CHANGES, OWN) /* new_signup_not_excluded was made */ \
	X(U32, score, SHOWN, CHANGES, OWN) \
	X(U32, referrals, SHOWN, CHANGES, OWN) /* direct ones that count */ \
	X(U32, unverified_direct, SHOWN, CHANGES, OWN) /* referred leads that are not fraudulent, as the next three */ \
	X(U32, unverified_indirect, SHOWN, CHANGES, OWN) \
	X(U32, verified_direct, SHOWN, CHANGES, OWN) \
	X(U32, verified_indirect, SHOWN, CHANGES, OWN) \
	X(TEXT, tag_ids, SHOWN, CHANGES, OWN) /* an id list (engine/id_list.h), in the order they came, as the next two */ \
	X(TEXT, action_ids, SHOWN, CHANGES, OWN) \
	X(TEXT, reward_ids, LOADED, CHANGES, OWN) \
	X(TIME, created_ms, SHOWN, ONCE, OWN) \
	X(TIME, updated_ms, LOADED, CHANGES, OWN)

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

/* Other fields of a campaign. */
#define CAMPAIGN_FIELDS(X) \
	X(U64, id) \
	X(U64, account_id) \
	X(TIME, created_ms) \
	X(OPTIONAL_TIME, ended_ms) /* by command, or recorded after ends_ms, which applies by itself */

/* Other columns of its row in `campaign_counters` than counts of leads. */
#define CAMPAIGN_PROGRESS(X) \
	X(U32, last_subscription_number) \
	X(U32, ip_counted_to) /* leads per address are counted up to this number, or IP_COUNTED_ALL */

/* Counts of its leads (docs/api.md 4.1, stats): X(type, column of `campaign_counters`, member) */
#define CAMPAIGN_COUNTERS(X) \
	X(U32, lead_count, leads) \
	X(U32, verified, verified) \
	X(U32, waitlisted, waitlisted) \
	X(U32, removed_from_waitlist, removed_from_waitlist) \
	X(U32, fraudulent, fraudulent) \
	X(U32, opted_out, opted_out) \
	X(U32, referred, referred)

/* Of a sign-up, without its custom fields (docs/api.md 4.3, 4.4): X(type, member of struct signup) */
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
	X(I32, points) /* custom points; 0: none */

/* clang-format on */

/* The member of a struct. */
#define FIELD_MEMBER(type, member) FIELD_TYPE_##type member;

#endif
