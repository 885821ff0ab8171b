/* SPDX-License-Identifier: MIT */
#include "api/handlers/lead_calls.h"

#include "api/call/bots.h"
#include "api/call/call_answers.h"
#include "api/call/call_rights.h"
#include "api/call/fetch.h"
#include "api/call/forms.h"
#include "api/call/lead_argument.h"
#include "api/call/limits.h"
#include "api/call/param_values.h"
#include "api/call/signup_arguments.h"
#include "engine/visitors.h"

/* Runs a command that signs up, and answers with the lead. */
static struct outcome
run(struct call *call, const struct command *command, const struct signup_arguments *arguments)
{
	const struct outcome outcome = call_execute(call, command);
	if (outcome.failure == FAILURE_NONE)
		call_answer(call, signup_note_ignored(call, arguments, outcome.body));
	return outcome;
}

/* `must_exist` shows whether the lead exists. A token proves nothing here: the lead may be another one. */
static bool
may_demand_lead(struct call *call, const struct signup *signup)
{
	return !signup->must_exist || call_has_right(call, RIGHT_CHANGE) ||
	       call_may_see(call, &(struct lead_reference){ .identity = LEAD_BY_EMAIL });
}

/* What is answered to a bot. */
static struct outcome
pretend(struct call *call, const struct command *command, const struct signup_arguments *arguments)
{
	struct outcome outcome = { .failure = command->as.signup.must_exist ? FAILURE_LEAD_NOT_FOUND : FAILURE_NONE };
	if (outcome.failure != FAILURE_NONE) {
		call_fail(call, outcome.failure);
		return outcome;
	}
	outcome.body = call_pretend_lead(call, &command->as.signup, command->view);
	if (slice_present(outcome.body))
		call_answer(call, signup_note_ignored(call, arguments, outcome.body));
	return outcome;
}

/* Runs the command, unless a rule against bots is broken. */
static struct outcome
sign_up(struct call *call, struct command command, const struct signup_arguments *arguments)
{
	struct outcome outcome = { .failure = FAILURE_PROOF_REQUIRED };
	switch (call_check_bots(call, arguments, &command.as.signup)) {
	case BOTS_FAIL:
		return outcome;
	case BOTS_PRETEND:
		return pretend(call, &command, arguments);
	case BOTS_PASS:
		break;
	}
	outcome = run(call, &command, arguments);
	if (outcome.failure == FAILURE_NONE)
		call_count_proof(call, &command.as.signup);
	if (outcome.created)
		call->api->last_lead_id = outcome.lead_id;
	return outcome;
}

/* With a code by text, unless the address has requested enough. */
static void
limit_codes(struct call *call, struct signup *signup)
{
	signup->no_code =
	    call->account_id == 0 && slice_present(signup->phone) && call_sends_codes(call) && !call_pass_code(call);
}

/* Over the limit of new leads only known leads may sign up: must_exist is forced, or where that would show which leads exist,
 * all are refused, and all are counted. The count follows creation, so simultaneous calls can exceed it. */
void
handle_signup(struct call *call)
{
	struct signup_arguments arguments;
	struct limit_verdict verdict;
	if (!signup_read(call, SIGNUP_BY_FORM, &arguments))
		return;
	if (!may_demand_lead(call, &arguments.signup) ||
	    call->response->head) /* HEAD on GET /v1/.../subscribe: nothing is created, the body is empty */
		return;
	struct command command = { .kind = COMMAND_SIGNUP, .view = param_view(call), .as.signup = arguments.signup };
	if (call_is_form(call)) /* the answer is one of them */
		command.view.skip_urls = false;
	const bool must_be_known = !arguments.signup.must_exist && !call_may_add_lead(call, &verdict);
	const bool shows_known = visitor_may_see(&call->campaign, LEAD_BY_EMAIL, VISITOR_STRANGER);
	if (must_be_known && !shows_known) {
		call_refuse_new_lead(call, &verdict);
		return;
	}
	command.as.signup.must_exist = arguments.signup.must_exist || must_be_known;
	limit_codes(call, &command.as.signup);
	const struct outcome outcome = sign_up(call, command, &arguments);
	if (outcome.created || (!shows_known && outcome.failure == FAILURE_NONE))
		call_count_new_lead(call);
	if (must_be_known && outcome.failure == FAILURE_LEAD_NOT_FOUND)
		call_refuse_new_lead(call, &verdict);
}

void
call_show_lead(struct call *call, struct lead_reference lead, struct payload_view view)
{
	struct outcome outcome;
	const struct look_up look_up = { call->campaign.id, lead, view, .standing = false };
	fetch_lead(call, call->api->store, &look_up, &outcome);
	if (outcome.failure == FAILURE_NONE)
		call_answer(call, outcome.body);
	else
		call_fail(call, outcome.failure);
}

void
handle_lookup(struct call *call)
{
	struct lead_reference lead;
	if (!lead_read(call, &lead))
		return;
	struct payload_view view = param_view(call);
	view.own = !view.full && lead.own;
	if (call_may_see(call, &lead))
		call_show_lead(call, lead, view);
}

/* Reads the id after the campaign's. Returns false when it is invalid: the call has failed. */
static bool
read_id(struct call *call, enum failure failure, uint64_t *id)
{
	return (slice_to_u64(call->request->segments[3], INT64_MAX, id) && *id != 0) || call_fail(call, failure);
}

void
handle_complete_action(struct call *call)
{
	struct lead_reference lead;
	uint64_t id;
	if (!read_id(call, FAILURE_ACTION_NOT_FOUND, &id) || !lead_read(call, &lead))
		return;
	const struct completion completion = { .lead = lead, .action_id = id };
	const struct command command = { .kind = COMMAND_COMPLETION, .as.completion = completion };
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}

void
handle_tag_lead(struct call *call)
{
	struct signup_arguments arguments;
	uint64_t id;
	if (!read_id(call, FAILURE_TAG_NOT_FOUND, &id) || !signup_read(call, SIGNUP_BY_TAGGING, &arguments))
		return;
	const struct tagging tagging = { .signup = arguments.signup, .tag_id = id };
	const struct command command = { .kind = COMMAND_TAGGING, .view = param_view(call), .as.tagging = tagging };
	run(call, &command, &arguments);
}
