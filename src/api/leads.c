/* SPDX-License-Identifier: MIT
 * Create or update a lead; look one up. */
#include "api/call.h"

/* docs/api.md 4.6: without a key they are ignored, whatever they are. */
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
	const struct api_backend *backend = call->api->backend;
	struct look_up look_up = { .campaign_id = call->campaign.id };
	struct outcome outcome;
	if (!call_parse_lead(call, &look_up.reference) || !call_parse_view(call, &look_up.view))
		return;
	backend->look_up(backend->context, call->request->pool, &look_up, call->deadline_ms, &outcome);
	if (outcome.failure == FAILURE_NONE)
		call_answer(call, outcome.body);
	else
		call_fail(call, outcome.failure);
}
