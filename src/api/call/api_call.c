/* SPDX-License-Identifier: MIT
 * After a call has timed out, similar calls are refused at once for a second. Otherwise each queued call would block a worker
 * for its full timeout. */
#include "api/call/api_call.h"

#include "api/call/call_answers.h"
#include "api/call/page_origin.h"
#include "api/call/param_values.h"
#include "engine/visitors.h"
#include "http/http_text.h"
#include "identity/signed_token.h"
#include "os/clock.h"

enum {
	WAITED_MS = 500, /* a call that fails faster has not waited for the database */
	REFUSE_MS = 1000
};

/* The campaign that the call waited for; 0 for reads, which do not depend on the campaign. */
static uint64_t
waited_for(const struct call *call)
{
	return call->wait == WAIT_READ ? 0 : call->campaign.id;
}

bool
call_would_wait(struct call *call, enum call_wait wait)
{
	call->wait = wait;
	const struct refusal *refusal = &call->api->common->refusals[wait];
	bool stuck = call->begun_ms < refusal->until_ms && refusal->campaign_id == waited_for(call);
	return stuck || call->begun_ms < refusal->all_until_ms;
}

bool
call_may_wait(struct call *call, enum call_wait wait)
{
	return !call_would_wait(call, wait) || call_fail(call, FAILURE_UNAVAILABLE);
}

/* If the store was late in general, reads are slow as well. One locked campaign is no reason to refuse calls on others, but two
 * different locked campaigns in succession indicate that the database is slow. */
void
call_note_wait(struct call *call)
{
	int64_t now_ms = clock_monotonic_ms(), until_ms = now_ms + REFUSE_MS;
	if ((!call->unavailable && !call->hides_failure) || now_ms - call->begun_ms < WAITED_MS)
		return;
	if (store_was_late(call->api->store))
		call->wait = WAIT_READ;
	struct refusal *refusal = &call->api->common->refusals[call->wait];
	bool lately = now_ms < refusal->until_ms + call->api->options->backend_timeout_ms;
	if (lately && refusal->campaign_id != waited_for(call))
		refusal->all_until_ms = until_ms;
	refusal->campaign_id = waited_for(call);
	refusal->until_ms = until_ms;
}

bool
api_is_management(const struct api *api, const struct http_request *request)
{
	return api->manage != NULL && route_is_management(request);
}

const struct ip_address *
call_client(const struct call *call)
{
	return call->has_client ? &call->client : NULL;
}

struct slice
call_header_text(struct call *call, struct slice header)
{
	if (!slice_present(header))
		return SLICE_NONE;
	const struct slice text = http_text_clean(call->request->pool, header);
	return text.size == 0 ? SLICE_NONE : http_text_cut(text, call->api->options->caps.value_bytes);
}

/* ---- rights ---- */

/* The URL of an inbound webhook signs up leads and sees them. Its caller is a stranger to existing leads: visitors of a form
 * service type the payloads (docs/inbound.md 2). */
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
call_may_see(struct call *call, const struct lead_reference *lead)
{
	return call_has_right(call, RIGHT_LEADS) ||
	       visitor_may_see(&call->campaign, lead->identity, lead->own ? VISITOR_OWNER : VISITOR_STRANGER) ||
	       call_fail_stranger(call);
}

/* ---- campaigns ---- */

bool
call_campaign_id(struct call *call, uint64_t *id)
{
	struct slice text = SLICE_NONE;
	*id = 0;
	if (call->route->campaign == CAMPAIGN_IN_PATH)
		text = call->request->segments[1];
	else if (!param_read_text(call, PARAM_CAMPAIGN, &text))
		return false;
	if (!slice_to_u64(text, INT64_MAX, id))
		*id = 0;
	return true;
}

/* docs/pages.md 1; docs/api.md 3, require_key; 4.1.11, hosts_only; 6. */
enum failure
call_refusal(const struct call *call)
{
	const struct campaign *campaign = &call->campaign;
	if ((call->route->flags & ROUTE_HOSTED) != 0 && !campaign->pages)
		return FAILURE_CAMPAIGN_NOT_FOUND;
	if (campaign->require_key && call->account_id == 0 && call->route->key == KEY_OPTIONAL)
		return FAILURE_MISSING_API_KEY;
	if (campaign->hosts_only && call_is_from_foreign_page(call))
		return FAILURE_FORBIDDEN_ORIGIN;
	bool ended = (call->route->flags & ROUTE_UNTIL_END) != 0 && campaign_has_ended(campaign, call->now_ms);
	return ended ? FAILURE_CAMPAIGN_ENDED : FAILURE_NONE;
}

/* ---- leads ---- */

bool
call_read_settings(struct call *call, const struct payload_settings **settings)
{
	return call_check_result(call, store_payload_settings(call->api->store, settings));
}

enum result
call_find_lead(struct call *call, const struct lead_reference *reference, struct lead *lead)
{
	const enum result result = store_find_lead(call->api->store, call->request->pool, call->campaign.id, reference, lead);
	if (result == RESULT_NOT_FOUND)
		*lead = (struct lead){ .id = 0 };
	return result;
}

bool
call_find_lead_or_none(struct call *call, const struct lead_reference *reference, struct lead *lead)
{
	if (!call_may_wait(call, WAIT_READ))
		return false;
	const enum result result = call_find_lead(call, reference, lead);
	return result == RESULT_NOT_FOUND || call_check_result(call, result);
}

bool
call_find_owner(struct call *call, struct slice social_id, struct slice token, struct lead_reference *own)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = social_id };
	const struct payload_settings *settings;
	struct lead lead;
	*own = (struct lead_reference){ .identity = LEAD_BY_SOCIAL_ID, .value = SLICE_NONE };
	if (!call_may_wait(call, WAIT_READ) || !call_read_settings(call, &settings))
		return false;
	const enum result result = call_find_lead(call, &reference, &lead);
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND || call_check_result(call, result);
	const struct lead_token_owner owner = { call->campaign.id, social_id, lead.id, lead.token_epoch };
	if (!lead_token_valid(token, settings->server_secret, LEAD_TOKEN_STATUS, &owner))
		return true;
	*own = (struct lead_reference){ LEAD_BY_SOCIAL_ID, social_id, 0, true, lead.token_epoch };
	call->reader_language = lead.language;
	return true;
}

struct outcome
call_execute(struct call *call, const struct command *command)
{
	const struct api_backend *backend = call->api->backend;
	struct command owned = *command;
	owned.campaign_id = call->campaign.id;
	owned.account_id = call->account_id;
	owned.rights = call_rights(call);
	owned.owner_id = call->campaign.account_id;
	struct outcome outcome = { .failure = FAILURE_UNAVAILABLE };
	if (!call_may_wait(call, WAIT_CAMPAIGN))
		return outcome;
	backend->execute(backend->context, call->request->pool, &owned, call->deadline_ms, &outcome);
	if (outcome.failure != FAILURE_NONE)
		call_fail_with(call, outcome.failure, outcome.detail);
	return outcome;
}
