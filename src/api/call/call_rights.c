/* SPDX-License-Identifier: MIT */
#include "api/call/call_rights.h"

#include "api/call/call_answers.h"
#include "engine/visitors.h"
#include "identity/lead_token.h"

/* The URL of an inbound webhook signs up leads and sees them. It is a stranger to those that exist: visitors of a form service
 * type the payloads (docs/inbound.md 2). */
rights
call_rights(const struct call *call)
{
	if (call->account_id == 0)
		return RIGHTS_NONE;
	return call->key.id == 0 ? RIGHT_INGEST | RIGHT_LEADS : call->key.rights;
}

bool
call_has_right(const struct call *call, enum right right)
{
	return (call_rights(call) & (rights)right) != 0;
}

bool
call_fail_stranger(struct call *call)
{
	return call_fail(call, call->account_id == 0 ? FAILURE_MISSING_API_KEY : FAILURE_MISSING_RIGHT);
}

bool
call_find_owner(struct call *call, struct slice social_id, struct slice token, struct lead_reference *own)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = social_id };
	const struct payload_settings *settings;
	struct lead lead;
	*own = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID, .value = SLICE_NONE };
	if (!call_may_wait(call, WAIT_READ))
		return false;
	enum result result = store_payload_settings(call->api->store, &settings);
	if (result == RESULT_OK)
		result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, &reference, &lead);
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND || call_fail(call, call_failure(result));
	const struct lead_token_owner owner = { call->campaign.id, social_id, lead.id, lead.token_epoch };
	if (!lead_token_valid(token, settings->server_secret, LEAD_TOKEN_STATUS, &owner))
		return true;
	*own = (struct lead_reference){ LEAD_BY_SOCIAL_ID, social_id, 0, true, lead.token_epoch };
	call->reader_language = lead.language;
	return true;
}

bool
call_may_see(struct call *call, const struct lead_reference *lead)
{
	return call_has_right(call, RIGHT_LEADS) ||
	       visitor_may_see(&call->campaign, lead->identity, lead->own ? VISITOR_OWNER : VISITOR_STRANGER) ||
	       call_fail_stranger(call);
}
