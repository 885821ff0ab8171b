/* SPDX-License-Identifier: MIT */
#include "api/call/key_token.h"

#include "api/call/call_answers.h"
#include "identity/lead_token.h"
#include "identity/social_id.h"

/* /opt-out/{campaign}/{social_id}/{token}. All invalid links have the same answer. That of a deleted lead is valid if its email
 * address was never replaced. */
bool
call_check_token(struct call *call)
{
	const struct slice *segments = call->request->segments;
	const struct payload_settings *settings;
	struct lead_token_owner owner = { 0 };
	struct lead lead = { .id = 0 };
	if (!slice_to_u64(segments[1], INT64_MAX, &owner.campaign_id) ||
	    !social_id_parse(call->request->pool, segments[2], &owner.social_id))
		return call_fail(call, FAILURE_NOT_FOUND);
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = owner.social_id };
	enum result result = store_payload_settings(call->api->store, &settings);
	if (result == RESULT_OK)
		result = store_find_lead(call->api->store, call->request->pool, owner.campaign_id, &reference, &lead);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND)
		return call_fail(call, call_failure(result));
	owner.epoch = lead.opt_out_epoch;
	if (!lead_token_valid(segments[3], settings->server_secret, LEAD_TOKEN_OPT_OUT, &owner))
		return call_fail(call, FAILURE_NOT_FOUND);
	call->social_id = owner.social_id;
	call->lead_email = lead.email_key;
	call->reader_language = lead.language;
	return true;
}
