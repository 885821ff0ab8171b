/* SPDX-License-Identifier: MIT */
#include "api/call/key_inbound.h"

#include "api/call/call_answers.h"
#include "api/call/campaign_access.h"
#include "api/call/limits.h"
#include "identity/api_key.h"

static enum result
find_webhook(struct call *call, struct slice token, const struct digest *hash)
{
	uint64_t campaign_id;
	if (!inbound_token_well_formed(token) || !call_campaign_id(call, &campaign_id))
		return RESULT_NOT_FOUND;
	const enum result result =
	    store_find_inbound_of_token(call->api->store, call->request->pool, hash->bytes, &call->inbound);
	return result == RESULT_OK && call->inbound.campaign_id != campaign_id ? RESULT_NOT_FOUND : result;
}

/* An unknown URL looks like any unknown path. */
bool
call_check_inbound(struct call *call)
{
	const struct slice token = call->request->segments[2];
	const struct digest hash = api_key_hash(token);
	if (!call_may_try_key(call, digest_slice(&hash)) || !call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = find_webhook(call, token, &hash);
	if (result == RESULT_NOT_FOUND) {
		call_key_is_bad(call, digest_slice(&hash));
		return false;
	}
	if (result != RESULT_OK)
		return call_fail(call, call_failure(result));
	call_key_is_good(call, digest_slice(&hash));
	call->account_id = call->inbound.account_id;
	call->key.account_per_minute = call->inbound.account_per_minute;
	return call_pass_inbound(call);
}
