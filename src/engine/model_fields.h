/* SPDX-License-Identifier: MIT
 * The fields of leads, campaigns and sign-ups, one line each. From these tables the preprocessor makes structs, columns of SQL
 * statements, readers and writers of rows (store/fields.h) and the codec of the committer (commit/codec.c).
 *
 * Types: U64, U32, I32, BOOL; TEXT, which may be absent; ID, where 0 is NULL in the database; TIME, which is always set;
 * OPTIONAL_TIME, where -1 is NULL. */
#pragma once

#define FIELD_TYPE_U64 uint64_t
#define FIELD_TYPE_U32 uint32_t
#define FIELD_TYPE_I32 int32_t
#define FIELD_TYPE_BOOL bool
#define FIELD_TYPE_TEXT struct slice
#define FIELD_TYPE_ID uint64_t
#define FIELD_TYPE_TIME int64_t
#define FIELD_TYPE_OPTIONAL_TIME int64_t

/* clang-format off */

/* A lead, without its id: X(type, column, read for, written, in payload). `column` is the column of `leads` and the member of struct lead.
 *   read for     the statements that read it. PAYLOADS: for payloads and for batches; BATCHES: for batches only; NEVER
 *   written      ON_CHANGE: with every change of the lead; AT_SIGNUP: when the lead is inserted, and never again;
 *                OF_REFERRER: never: it is a column of the referrer's row, which is read together with the lead; OF_LINKS: never: it follows from the links of the leads that it referred
 *   in payload   PERSONAL: under its name, but in the public view only where the campaign has no `privacy`; FULL_VIEW: under
 *                its name, in the full view only; BY_CODE: written by code (engine/payload.c), or not at all
 * Example: X(TEXT, uid, PAYLOADS, ON_CHANGE, PERSONAL). `uid` is a text. All statements that read leads read it, every change
 * of a lead writes it, and payloads with personal data have it as "uid". */
#define LEAD_FIELDS(X) \
	X(U64, campaign_id, PAYLOADS, AT_SIGNUP, BY_CODE) \
	X(U32, subscription_number, PAYLOADS, AT_SIGNUP, BY_CODE) \
	X(U32, counter, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TEXT, social_id, PAYLOADS, AT_SIGNUP, BY_CODE) /* as identity/social_id.h says */ \
	X(U32, token_epoch, PAYLOADS, ON_CHANGE, BY_CODE) /* of the token for its page (identity/signed_token.h) */ \
	X(U32, opt_out_epoch, PAYLOADS, ON_CHANGE, BY_CODE) /* of the token that opts it out */ \
	X(ID, parent_id, BATCHES, AT_SIGNUP, BY_CODE) /* 0: none */ \
	X(TEXT, parent_social_id, PAYLOADS, OF_REFERRER, BY_CODE) /* absent also when the referrer was deleted */ \
	X(TEXT, email, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TEXT, email_key, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TEXT, email_hash, BATCHES, ON_CHANGE, BY_CODE) \
	X(TEXT, phone, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TEXT, phone_hash, BATCHES, ON_CHANGE, BY_CODE) \
	X(BOOL, verified_email, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(BOOL, verified_phone, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(U32, claimed, PAYLOADS, ON_CHANGE, BY_CODE) /* enum lead_claim (engine/model.h) */ \
	X(U32, proven, PAYLOADS, ON_CHANGE, BY_CODE) /* CHANNEL_BITs: verified by its person, with a code or a link */ \
	X(BOOL, shared, PAYLOADS, ON_CHANGE, BY_CODE) /* signed up again without its token, perhaps by another person */ \
	X(TEXT, language, PAYLOADS, ON_CHANGE, BY_CODE) /* a tag (base/language_tag.h); never in a payload */ \
	X(U64, referral_mail_ms, BATCHES, ON_CHANGE, BY_CODE) /* of the last or the waiting mail about referrals; 0: none */ \
	X(BOOL, bounced, BATCHES, ON_CHANGE, BY_CODE) /* a mail server has answered that the email address does not exist */ \
	X(BOOL, waitlisted, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(BOOL, removed_from_waitlist, BATCHES, ON_CHANGE, BY_CODE) \
	X(BOOL, opted_out, PAYLOADS, ON_CHANGE, PERSONAL) \
	X(BOOL, sms_opted_out, PAYLOADS, ON_CHANGE, PERSONAL) \
	X(TEXT, custom_fields, PAYLOADS, ON_CHANGE, BY_CODE) /* a JSON object */ \
	X(U32, keyed_fields, BATCHES, ON_CHANGE, BY_CODE) /* this many of them, the first ones, are not a stranger's */ \
	X(TEXT, utm, PAYLOADS, ON_CHANGE, BY_CODE) /* a JSON object */ \
	X(TEXT, uid, PAYLOADS, ON_CHANGE, PERSONAL) \
	X(TEXT, redirect_url, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(BOOL, redirect_by_key, PAYLOADS, ON_CHANGE, BY_CODE) /* redirect_url was stored by a caller with RIGHT_CHANGE */ \
	X(TEXT, ip, PAYLOADS, ON_CHANGE, FULL_VIEW) \
	X(TEXT, user_agent, BATCHES, ON_CHANGE, BY_CODE) \
	X(TEXT, referrer, PAYLOADS, AT_SIGNUP, FULL_VIEW) \
	X(TEXT, source, BATCHES, AT_SIGNUP, BY_CODE) \
	X(ID, source_id, BATCHES, AT_SIGNUP, BY_CODE) /* 0: none */ \
	X(U32, source_class, BATCHES, AT_SIGNUP, BY_CODE) /* enum source_class */ \
	X(TEXT, signup_url, NEVER, AT_SIGNUP, BY_CODE) \
	X(TEXT, session_id, NEVER, AT_SIGNUP, BY_CODE) \
	X(TEXT, request_id, NEVER, AT_SIGNUP, BY_CODE) \
	X(BOOL, fraudulent, PAYLOADS, ON_CHANGE, FULL_VIEW) \
	X(TEXT, fraud_flags, PAYLOADS, ON_CHANGE, BY_CODE) /* a JSON array of their names */ \
	X(U32, times_flagged, BATCHES, ON_CHANGE, BY_CODE) /* how often it became fraudulent */ \
	X(TIME, marked_ms, BATCHES, ON_CHANGE, BY_CODE) /* last change of its mark as fraudulent; 0: none, or not known */ \
	X(TEXT, marked_by, BATCHES, ON_CHANGE, BY_CODE) /* who changed it; absent: a rule, or not known */ \
	X(BOOL, announced, BATCHES, ON_CHANGE, BY_CODE) /* new_signup_not_excluded was made */ \
	X(U32, score, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(U32, points_due, BATCHES, ON_CHANGE, BY_CODE) /* for its sign-up, once it is verified (docs/api.md 4.1.11) */ \
	X(U32, points_owed, BATCHES, ON_CHANGE, BY_CODE) /* spent credit of leads that deleted themselves (docs/api.md 4.6) */ \
	X(U32, referrals, PAYLOADS, ON_CHANGE, BY_CODE) /* direct ones that count */ \
	X(BOOL, has_referred, BATCHES, OF_LINKS, BY_CODE) /* a lead, perhaps fraudulent or deleted since */ \
	X(U32, unverified_direct, PAYLOADS, ON_CHANGE, BY_CODE) /* not fraudulent, like the next three */ \
	X(U32, unverified_indirect, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(U32, verified_direct, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(U32, verified_indirect, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TEXT, tag_ids, PAYLOADS, ON_CHANGE, BY_CODE) /* id list (engine/id_list.h) in order of arrival, like the next two */ \
	X(TEXT, action_ids, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TEXT, reward_ids, PAYLOADS, ON_CHANGE, BY_CODE) \
	X(TIME, created_ms, PAYLOADS, AT_SIGNUP, BY_CODE) \
	X(TIME, updated_ms, BATCHES, ON_CHANGE, BY_CODE)

/* Settings of a campaign (docs/api.md 4.6): X(type, column and member) */
#define CAMPAIGN_SETTINGS(X) \
	X(TEXT, name) \
	X(OPTIONAL_TIME, ends_ms) \
	X(U32, jump_start) \
	X(BOOL, privacy) \
	X(BOOL, require_key) \
	X(BOOL, compat) /* webhooks in the form that older receivers read (docs/deliveries.md 2.1) */ \
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
	X(TEXT, blocked_email_domains) /* a list; so are the next two */ \
	X(TEXT, blocked_referrers) \
	X(TEXT, allowed_networks) \
	X(BOOL, pages) \
	X(TEXT, language) /* absent: the visitor's */ \
	X(TEXT, hosts) /* a list */ \
	X(BOOL, hosts_only) \
	X(U32, form_answer) /* enum form_answer; so are the next two */ \
	X(U32, public_lookup) \
	X(U32, public_update) \
	X(U32, leaderboard_names) /* enum leaderboard_names */ \
	X(U32, mails) /* MESSAGE_BITs */ \
	X(BOOL, verify_email) /* by a mail to the lead */ \
	X(BOOL, verify_phone) /* by a code that is sent to its phone */ \
	X(U32, bots) /* enum campaign_bots */ \
	X(U32, bot_difficulty)

/* Other fields of a campaign. */
#define CAMPAIGN_FIELDS(X) \
	X(U64, id) \
	X(U64, account_id) \
	X(TIME, created_ms) \
	X(OPTIONAL_TIME, ended_ms) /* set by command, or recorded after ends_ms, which takes effect by itself */

/* Columns of its row in `campaign_counters` that are not counts of leads. */
#define CAMPAIGN_PROGRESS(X) \
	X(U32, last_subscription_number) \
	X(U32, ip_counted_to) /* leads per address are counted up to this lead number, or IP_COUNTED_ALL */ \
	X(U32, hours_counted_from) /* leads are counted by hour from this lead number on; 0: all; UINT32_MAX: none */ \
	X(U32, sources_counted_to) /* leads are counted by value of their source up to this lead number */

/* Counts of its leads (docs/api.md 4.1, stats): X(type, column of `campaign_counters`, member). The last two are sums of `lead_hours`: they
 * count only leads from `hours_counted_from` on (docs/architecture.md 9.3). */
#define CAMPAIGN_COUNTERS(X) \
	X(U32, lead_count, leads) \
	X(U32, verified, verified) \
	X(U32, waitlisted, waitlisted) \
	X(U32, removed_from_waitlist, removed_from_waitlist) \
	X(U32, fraudulent, fraudulent) \
	X(U32, opted_out, opted_out) \
	X(U32, referred, referred) \
	X(U32, referred_verified, referred_verified) \
	X(U32, referrers, referrers)

/* A sign-up, without its custom fields (docs/api.md 4.3, 4.4): X(type, member of struct signup) */
#define SIGNUP_FIELDS(X) \
	X(TEXT, email) /* as typed */ \
	X(TEXT, email_key) /* identity */ \
	X(TEXT, phone) /* E.164 */ \
	X(TEXT, subject) /* social id of the lead to update */ \
	X(TEXT, own_id) /* social id of the lead whose token the caller has */ \
	X(U32, own_epoch) /* epoch of the token of `own_id` */ \
	X(TEXT, referrer_id) /* social id of the lead that referred a new one */ \
	X(TEXT, utm) /* a JSON object */ \
	X(TEXT, uid) \
	X(TEXT, redirect_url) \
	X(TEXT, ip) \
	X(TEXT, user_agent) \
	X(TEXT, language) /* a tag */ \
	X(TEXT, referrer) \
	X(TEXT, source) \
	X(TEXT, signup_url) \
	X(TEXT, session_id) \
	X(TEXT, request_id) \
	X(TEXT, proof) /* the nonce of the challenge that was solved for it (docs/api.md 8.2); absent: none */ \
	X(TIME, proof_expires_ms) /* of the challenge */ \
	X(BOOL, unproven) /* it needs proof of work, and has none */ \
	X(BOOL, no_code) /* its address has requested enough codes */ \
	X(U32, optional_fields) /* this many custom fields, the last ones, were not typed by the visitor */ \
	X(BOOL, inbound) /* it is a payload of an inbound webhook */ \
	X(BOOL, referrer_is_page) /* `referrer` is the referrer of the request: the page with the form */ \
	X(U64, source_id) \
	X(BOOL, must_exist) \
	X(BOOL, keep_opt_out) \
	X(BOOL, edits) /* an operator corrects an existing lead that has not signed up again; possible even after the end */ \
	X(BOOL, ends_bounce) /* likewise: the email address takes mail after all */ \
	X(BOOL, replace_ip) /* named by the caller: set even on an existing lead */ \
	X(BOOL, replace_language) /* likewise, by any caller that may change the lead */ \
	X(BOOL, replace_user_agent) /* likewise, by a caller with RIGHT_CHANGE */ \
	X(I32, points) /* custom points; 0: none */

/* clang-format on */

/* The member of a struct. */
#define FIELD_MEMBER(type, member) FIELD_TYPE_##type member;
