/* SPDX-License-Identifier: MIT
 * Rate limits of calls (docs/api.md 5). Functions that return false have failed the call. */
#pragma once

#include "api/call/api_call.h"

/* Applies the limits of the address to a request without a key. */
MUST_CHECK bool call_pass_address(struct call *call);
/* Also counts a call that is answered with a form as a look-up, because the page costs more than the refusal. False: its
 * address has made too many look-ups; the call is unchanged. */
MUST_CHECK bool call_pass_form(struct call *call);
/* Applies the limits of the account to a request with a key. */
MUST_CHECK bool call_pass_account(struct call *call);
/* Like call_pass_account, for a user of the account, who has no key. `per_minute` has the meaning of account_per_minute in
 * struct api_key. */
MUST_CHECK bool call_pass_user(struct call *call, uint64_t account_id, int64_t per_minute);
/* Applies the limit of an inbound webhook's URL. */
MUST_CHECK bool call_pass_inbound(struct call *call);
/* Stores the counts of refused sign-ups, at most a few times a minute. */
void api_store_refused(struct api *api);
/* Counts the call for its campaign, over all callers. False: the campaign has had too many; the call is unchanged. */
bool call_count_for_campaign(struct call *call, enum limit_kind kind);
/* How many calls were counted in this way. */
uint32_t call_campaign_count(struct call *call, enum limit_kind kind);
/* For callers without a key: whether the campaign may have one more new lead now. False: *verdict has the time to wait; the
 * call is unchanged. */
MUST_CHECK bool call_may_add_lead(struct call *call, struct limit_verdict *verdict);
void call_count_new_lead(struct call *call);
void call_refuse_new_lead(struct call *call, const struct limit_verdict *verdict);
/* Whether the address may send one more wrong key or token, or call one more unknown URL of an inbound webhook. */
MUST_CHECK bool call_may_fail_key(struct call *call);
/* Whether this host has verified the key before. */
MUST_CHECK bool call_key_is_known(struct call *call, struct slice hash);
/* Whether a key may be looked up: always if this host has verified it before. */
MUST_CHECK bool call_may_try_key(struct call *call, struct slice hash);
/* One of these is called after the look-up. A bad key is counted, and fails the call. */
void call_accept_key(struct call *call, struct slice hash);
void call_refuse_key(struct call *call, struct slice hash);
/* Removes the key from those that this host has found to be valid. */
void call_drop_key(struct call *call, struct slice hash);
/* Counts a failed key without refusing the call. */
void call_note_failed_key(struct call *call);

/* Whether leads of the campaign verify their phone number with a code. */
MUST_CHECK bool call_sends_codes(const struct call *call);
/* Whether leads of the campaign confirm their email address with the link or the code in a mail. */
MUST_CHECK bool call_mails_codes(const struct call *call);
/* Counts a call without a key that requests a code by text. False: its address has requested too many. */
MUST_CHECK bool call_pass_code(struct call *call);
