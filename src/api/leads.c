/* SPDX-License-Identifier: MIT
 * Create or update a lead; look one up. */
#include "api/call.h"

#include "core/payload.h"

/* contract.md 4.6: without a key they are ignored, whatever they are. */
static bool
parse_points(struct call *call, struct signup *signup)
{
	bool given;
	return call->account_id == 0 || call_parse_points(call, &signup->points, &given);
}

void
handle_signup(struct call *call)
{
	struct command command = {
		.kind = COMMAND_SIGNUP,
		.campaign_id = call->campaign.id,
		.account_id = call->account_id,
	};
	struct outcome outcome;
	if (!call_parse_signup(call, &command.as.signup, &command.view) || !parse_points(call, &command.as.signup))
		return;
	if (call->response->head) /* must change nothing; which lead GET would answer, nobody knows */
		return;
	if (call_execute(call, &command, &outcome))
		call_answer(call, outcome.body);
}

void
handle_lookup(struct call *call)
{
	struct store *store = call->api->store;
	struct pool *pool = call->request->pool;
	struct lead_reference reference;
	struct payload_view view;
	struct lead lead;
	struct payload_subject *subject;
	const struct payload_settings *settings;
	if (!call_parse_lead(call, &reference) || !call_parse_view(call, &view))
		return;
	enum result result = store_find_lead(store, pool, call->campaign.id, &reference, &lead);
	if (result == RESULT_NOT_FOUND) {
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
		return;
	}
	if (result == RESULT_OK)
		result = store_show_leads(store, pool, &call->campaign, &lead, 1, &subject);
	if (result == RESULT_OK)
		result = store_payload_settings(store, &settings);
	if (result == RESULT_OK)
		payload_write(&call->response->body, settings, subject, view);
	else
		call_fail(call, call_failure(result));
}
