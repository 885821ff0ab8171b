/* SPDX-License-Identifier: MIT
 * What is done at once to named leads: actions, points, tags. */
#include "api/call.h"

/* The id behind the campaign's; 0 when it can be none. */
static uint64_t
id_in_path(const struct call *call)
{
	uint64_t id;
	return slice_to_u64(call->request->segments[3], INT64_MAX, &id) ? id : 0;
}

static struct command
new_command(const struct call *call, enum command_kind kind)
{
	return (struct command){ .kind = kind, .campaign_id = call->campaign.id, .account_id = call->account_id };
}

void
handle_complete_action(struct call *call)
{
	struct command command = new_command(call, COMMAND_COMPLETION);
	struct completion *completion = &command.as.completion;
	struct outcome outcome;
	completion->action_id = id_in_path(call);
	if (completion->action_id == 0)
		call_fail(call, FAILURE_ACTION_NOT_FOUND);
	else if (call_parse_lead(call, &completion->lead) && call_execute(call, &command, &outcome))
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}

static bool
parse_points_call(struct call *call, struct points_call *points)
{
	struct lead_reference *leads;
	bool given;
	if (!call_parse_points(call, &points->points, &given))
		return false;
	if (!given) {
		call_fail(call, FAILURE_MISSING_POINTS);
		return false;
	}
	if (!call_parse_leads(call, &leads, &points->lead_count) || !call_text(call, "message", &points->message))
		return false;
	points->leads = leads;
	if (points->lead_count == 0)
		call_fail(call, FAILURE_LEADS_NOT_FOUND);
	return points->lead_count > 0;
}

void
handle_points(struct call *call)
{
	struct command command = new_command(call, COMMAND_POINTS);
	struct outcome outcome;
	if (parse_points_call(call, &command.as.points) && call_execute(call, &command, &outcome))
		call_answer(call, SLICE("{\"message\":\"Custom Points added\"}"));
}

void
handle_tag_lead(struct call *call)
{
	struct command command = new_command(call, COMMAND_TAGGING);
	struct tagging *tagging = &command.as.tagging;
	struct outcome outcome;
	tagging->tag_id = id_in_path(call);
	if (tagging->tag_id == 0)
		call_fail(call, FAILURE_TAG_NOT_FOUND);
	else if (call_parse_signup(call, &tagging->signup, &command.view) && call_execute(call, &command, &outcome))
		call_answer(call, outcome.body);
}
