/* SPDX-License-Identifier: MIT
 * Calls about leads: create or update, look up, actions, points and tags; and bulk calls, which the dispatcher runs
 * later (docs/api.md 4.1). */
#include <inttypes.h>

#include "api/bots.h"
#include "api/fetch.h"
#include "api/parameters.h"

#include "engine/strangers.h"

/* Runs a command that signs up, and answers with the lead. */
static struct outcome
run(struct call *call, const struct command *command, const struct arguments *arguments)
{
	const struct outcome outcome = call_execute(call, command);
	if (outcome.failure == FAILURE_NONE)
		call_answer(call, call_note_ignored(call, arguments, outcome.body));
	return outcome;
}

/* `must_exist` shows whether the lead exists. A token proves nothing here: the lead may be another one. */
static bool
may_demand_lead(struct call *call, const struct signup *signup)
{
	return !signup->must_exist || call_has_right(call, RIGHT_CHANGE) || call_may_see(call, LEAD_BY_EMAIL, false);
}

/* What is answered to a bot. */
static struct outcome
pretend(struct call *call, const struct command *command, const struct arguments *arguments)
{
	struct outcome outcome = { .failure = command->as.signup.must_exist ? FAILURE_LEAD_NOT_FOUND : FAILURE_NONE };
	if (outcome.failure != FAILURE_NONE) {
		call_fail(call, outcome.failure);
		return outcome;
	}
	outcome.body = call_pretend_lead(call, &command->as.signup, command->view);
	if (slice_present(outcome.body))
		call_answer(call, call_note_ignored(call, arguments, outcome.body));
	return outcome;
}

/* Runs the command, unless a rule against bots is broken. */
static struct outcome
sign_up(struct call *call, struct command command, const struct arguments *arguments)
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
	struct arguments arguments;
	struct limit_verdict verdict;
	if (!call_read(call, GROUP_SIGNUP | GROUP_OWNER | GROUP_BOTS | GROUP_VIEW | GROUP_SIGNUP_POINTS, &arguments))
		return;
	if (!may_demand_lead(call, &arguments.signup) ||
	    call->response->head) /* HEAD on GET /v1/.../subscribe: nothing is created, the body is empty */
		return;
	if (call_is_form(call)) /* the answer is one of them */
		arguments.view.skip_urls = false;
	struct command command = { .kind = COMMAND_SIGNUP, .view = arguments.view, .as.signup = arguments.signup };
	const bool must_be_known = !arguments.signup.must_exist && !call_may_add_lead(call, &verdict);
	const bool shows_known = stranger_may_see(&call->campaign, LEAD_BY_EMAIL, false);
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
	struct arguments arguments;
	if (!call_read(call, GROUP_LEAD | GROUP_VIEW, &arguments))
		return;
	arguments.view.own = !arguments.view.full && slice_present(arguments.own.value);
	if (call_may_see(call, arguments.lead.identity, arguments.view.own))
		call_show_lead(call, arguments.lead, arguments.view);
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
	struct arguments arguments;
	uint64_t id;
	if (!read_id(call, FAILURE_ACTION_NOT_FOUND, &id) || !call_read(call, GROUP_LEAD, &arguments))
		return;
	const struct completion completion = { .lead = arguments.lead, .action_id = id };
	const struct command command = { .kind = COMMAND_COMPLETION, .as.completion = completion };
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}

void
handle_tag_lead(struct call *call)
{
	struct arguments arguments;
	uint64_t id;
	if (!read_id(call, FAILURE_TAG_NOT_FOUND, &id) || !call_read(call, GROUP_SIGNUP | GROUP_VIEW, &arguments))
		return;
	const struct tagging tagging = { .signup = arguments.signup, .tag_id = id };
	const struct command command = { .kind = COMMAND_TAGGING, .view = arguments.view, .as.tagging = tagging };
	run(call, &command, &arguments);
}

static void
answer_queued(struct call *call, struct slice message, struct slice name, size_t matched)
{
	struct json_writer writer = call_begin(call);
	call->response->status = 202;
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("message"), message);
	json_put_u64(&writer, name, matched);
	json_end_object(&writer);
}

/* The client cannot know when there is room; 60 s is arbitrary. */
static void
refuse(struct call *call)
{
	if (!http_response_header(call->response, "Retry-After", SLICE("60")))
		log_error("header_refused", LOG_STR("name", "Retry-After"));
	call_fail(call, FAILURE_TOO_MANY_JOBS);
}

void
handle_points(struct call *call)
{
	struct arguments arguments;
	if (!call_read(call, GROUP_POINTS | GROUP_LEADS, &arguments))
		return;
	if (arguments.lead_count == 0) {
		call_fail(call, FAILURE_LEADS_NOT_FOUND);
		return;
	}
	const struct points_call points = {
		.leads = arguments.leads,
		.lead_count = arguments.lead_count,
		.points = arguments.signup.points,
		.account_jobs = call->api->options->account_bulk_jobs,
		.message = arguments.message,
	};
	const struct outcome outcome = call_execute(call, &(struct command){ .kind = COMMAND_POINTS, .as.points = points });
	if (outcome.failure == FAILURE_TOO_MANY_JOBS)
		refuse(call);
	else if (outcome.failure == FAILURE_NONE && outcome.queued > 0)
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), outcome.queued);
	else if (outcome.failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Custom Points added\"}"));
}

/* What is verified of leads that are named by an address is that address, unless the call says otherwise. */
static struct slice
argument_of(enum lead_action action, const struct arguments *arguments)
{
	if (action != LEAD_VERIFY || slice_present(arguments->argument) || arguments->lead_count == 0)
		return arguments->argument;
	return lead_named_channel(arguments->leads[0].identity);
}

/* Queues the change of the named leads, or of their referrers, and answers with their number. */
static void
queue_read(struct call *call, enum lead_action action, const struct arguments *arguments, bool referrers)
{
	size_t matched = 0;
	uint64_t job_id;
	if (!call_may_wait(call, WAIT_BULK_JOBS))
		return;
	const struct bulk_request request = {
		.account_id = call->account_id,
		.campaign_id = call->campaign.id,
		.account_jobs = call->api->options->account_bulk_jobs,
		.action = action,
		.tag_ids = arguments->tag_ids,
		.tag_count = arguments->tag_count,
		.argument = argument_of(action, arguments),
		.leads = arguments->leads,
		.lead_count = arguments->lead_count,
		.made_by = call->key.id == 0 ? SLICE_NONE : pool_printf(call->request->pool, "key %" PRIu64, call->key.id),
		.referrers = referrers,
	};
	enum result result =
	    request.lead_count == 0 ? RESULT_NOT_FOUND : store_queue_bulk(call->api->store, &request, &matched, &job_id);
	if (result == RESULT_TOO_MANY)
		refuse(call);
	else if (result == RESULT_NOT_FOUND)
		call_fail(call, FAILURE_NO_LEADS);
	else if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (action == LEAD_DELETE)
		answer_queued(call, SLICE("Your leads have been queued for deletion"), SLICE("deleted"), matched);
	else
		answer_queued(call, SLICE("Your leads have been queued for changes"), SLICE("updated"), matched);
}

static void
queue(struct call *call, enum lead_action action, unsigned groups, bool referrers)
{
	struct arguments arguments;
	if (call_read(call, GROUP_LEADS | groups, &arguments))
		queue_read(call, action, &arguments, referrers);
}

void
handle_bulk_change(struct call *call)
{
	static const unsigned groups[LEAD_ACTIONS] = {
		[LEAD_TAG] = GROUP_TAG,
		[LEAD_VERIFY] = GROUP_CHANNEL,
		[LEAD_UNVERIFY] = GROUP_CHANNEL,
		[LEAD_BLOCK] = GROUP_REASON,
	};
	enum lead_action action;
	if (!lead_action_parse(call->request->segments[2], &action))
		call_fail(call, FAILURE_INVALID_ACTION);
	else
		queue(call, action, groups[action], false);
}

void
handle_bulk_delete(struct call *call)
{
	queue(call, LEAD_DELETE, 0, false);
}

void
handle_bulk_tags(struct call *call)
{
	queue(call, LEAD_TAG, GROUP_TAGS, false);
}

void
handle_tag_referrers(struct call *call)
{
	queue(call, LEAD_TAG, GROUP_TAGS, true);
}

void
handle_tag_referrers_of_path(struct call *call)
{
	struct arguments arguments;
	uint64_t id;
	if (!call_read(call, GROUP_LEADS, &arguments) || !call_find_tag(call, call->request->segments[3], TAG_BY_ID, &id))
		return;
	arguments.tag_ids = &id;
	arguments.tag_count = 1;
	queue_read(call, LEAD_TAG, &arguments, true);
}
