/* SPDX-License-Identifier: MIT
 * Changes of leads: points, and the bulk changes of docs/api.md 4.1, which the dispatcher makes. */
#include "admin/leads/change_operations.h"

#include <inttypes.h>

#include "admin/jobs/job_operations.h"
#include "admin/leads/named_lead.h"
#include "engine/command.h"
#include "engine/failure.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/batch.h"
#include "store/bulk.h"
#include "store/queue/bulk_jobs.h"

enum { COMMAND_MS = 10000 };

/* Returns 0 after success; otherwise reports why the command failed and returns a status. */
static int
answer_command(struct operation_call *call, const struct outcome *outcome)
{
	static const struct {
		enum failure failure;
		enum operation_problem problem;
		const char *message; /* NULL: that of the outcome */
	} problems[] = {
		{ FAILURE_CAMPAIGN_NOT_FOUND, PROBLEM_NOT_FOUND, "there is no such campaign" },
		{ FAILURE_LEAD_NOT_FOUND, PROBLEM_NOT_FOUND, "there is no such lead" },
		{ FAILURE_LEADS_NOT_FOUND, PROBLEM_NOT_FOUND, "there are no such leads" },
		{ FAILURE_INVALID_PARAMETER, PROBLEM_INVALID, NULL },
		{ FAILURE_MISSING_RIGHT, PROBLEM_FORBIDDEN, NULL },
		{ FAILURE_CONFLICTING_IDENTIFIERS, PROBLEM_CONFLICT,
		    "another lead of the campaign has this email address or phone number" },
		{ FAILURE_CAMPAIGN_ENDED, PROBLEM_CONFLICT, "the campaign has ended" },
		{ FAILURE_ACCOUNT_SUSPENDED, PROBLEM_CONFLICT, "the account of the campaign is suspended" },
		{ FAILURE_TOO_MANY_JOBS, PROBLEM_BUSY, "the account has as many queued changes as it may: try again later" },
		{ FAILURE_UNAVAILABLE, PROBLEM_UNCERTAIN,
		    "the database is out of reach: check whether the change was made before you try again" },
	};
	if (outcome->failure == FAILURE_NONE)
		return EX_OK;
	for (size_t i = 0; i < ARRAY_SIZE(problems); i++)
		if (problems[i].failure == outcome->failure)
			return problems[i].message == NULL
				   ? operation_fail(call, problems[i].problem, "%.*s", SLICE_ARGS(outcome->detail))
				   : operation_fail(call, problems[i].problem, "%s", problems[i].message);
	return operation_fail(call, PROBLEM_INTERNAL, "the command failed; see the log for the reason");
}

int
lead_command_execute(
    struct operation_call *call, const struct campaign *campaign, struct command *command, struct outcome *outcome)
{
	const struct command *one = command;
	command->rights = caller_rights(call->caller);
	command->campaign_id = campaign->id;
	command->account_id = command->owner_id = campaign->account_id;
	struct execution execution = { .commands = &one,
		.count = 1,
		.deadline_ms = clock_monotonic_ms() + COMMAND_MS,
		.outcomes = outcome,
		.precondition = &call->precondition };
	store_execute(call->store, call->pool, &execution);
	return answer_command(call, outcome);
}

struct named_leads {
	struct lead_reference *items;
	size_t count, capacity;
};

/* Accepts an email address, a number that begins with +, or a social_id. */
static bool
parse_reference(struct pool *pool, struct slice text, struct lead_reference *lead)
{
	const enum lead_identity identity = slice_find(text, '@') < text.size     ? LEAD_BY_EMAIL
					    : slice_starts_with(text, SLICE("+")) ? LEAD_BY_PHONE
										  : LEAD_BY_SOCIAL_ID;
	return lead_reference_parse(pool, identity, text, lead);
}

static bool
parse_lead(struct value_reading *reading, struct slice text, void *place)
{
	struct named_leads *leads = place;
	if (leads->count == BULK_LEADS_MAX) {
		reading->message = pool_printf(reading->pool, "there are more than %d leads", BULK_LEADS_MAX);
		return false;
	}
	leads->items = pool_grow(reading->pool, leads->items, leads->count, &leads->capacity, sizeof(*leads->items));
	if (parse_reference(reading->pool, text, &leads->items[leads->count++]))
		return true;
	reading->message = pool_printf(
	    reading->pool, "%.*s is not an email address, a phone number that begins with +, or a social_id", SLICE_ARGS(text));
	return false;
}
static const struct value_type value_leads = { .parse = parse_lead, .form = VALUE_EACH };

struct lead_points {
	int32_t points;
	struct named_leads leads;
	struct slice message;
};

static bool
parse_points(struct value_reading *reading, struct slice text, void *place)
{
	reading->message = SLICE("points: expected a number from -99999 to 99999, but not 0");
	return value_delta.parse(reading, text, place) && *(int32_t *)place != 0;
}
static const struct value_type value_booking = { .parse = parse_points };
static const struct parameter points_parameters[] = {
	OPERAND("points", value_booking, offsetof(struct lead_points, points)),
	OPERAND("leads", value_leads, offsetof(struct lead_points, leads)),
	OPTION("message", value_text, offsetof(struct lead_points, message)),
};

struct bulk_change {
	enum lead_action action;
	struct named_leads leads;
	uint64_t tag_id;
};

static bool
parse_action(struct value_reading *reading, struct slice text, void *place)
{
	enum lead_action *action = place;
	reading->message =
	    pool_printf(reading->pool, "%.*s is no change of leads; see leadhook(1), lead change", SLICE_ARGS(text));
	return lead_action_parse(text, action) && *action != LEAD_POINTS;
}
static const struct value_type value_action = { .parse = parse_action };
static const struct parameter change_parameters[] = {
	{ "change", &value_action, offsetof(struct bulk_change, action), PARAMETER_OPERAND | PARAMETER_REQUIRED, "delete" },
	OPERAND("leads", value_leads, offsetof(struct bulk_change, leads)),
	OPTION("tag", value_tag, offsetof(struct bulk_change, tag_id)),
};

static int
show_queued(struct operation_call *call, const struct bulk_request *request, uint64_t job_id, size_t leads)
{
	const size_t named = request->lead_count;
	output_record(call->output);
	output_u64_or_null(call->output, "job", job_id);
	output_text(call->output, "change", lead_action_name(request->action));
	output_u64_or_null(call->output, "tag_id", request->tag_count == 0 ? 0 : request->tag_ids[0]);
	output_u64(call->output, "leads", leads);
	if (leads < named)
		operation_warn(call, "%zu of the %zu do not exist, or were named twice", named - leads, named);
	return EX_OK;
}

static int
run_lead_points(struct operation_call *call)
{
	const struct lead_points *arguments = ARGUMENTS(call, struct lead_points);
	const struct points_call points = { .account_jobs = call->conf->limits.account_bulk_jobs,
		.points = arguments->points,
		.message = arguments->message,
		.leads = arguments->leads.items,
		.lead_count = arguments->leads.count };
	struct command command = { .kind = COMMAND_POINTS, .as = { .points = points } };
	struct campaign campaign;
	struct outcome outcome;
	if (arguments->message.size > call->conf->limits.value_bytes)
		return operation_fail_value(
		    call, PROBLEM_INVALID, "message", "expected at most %zu bytes", call->conf->limits.value_bytes);
	const enum result result = operation_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	const int status = lead_command_execute(call, &campaign, &command, &outcome);
	return status == EX_OK ? operation_answer_number(call, RESULT_OK, "queued", outcome.queued) : status;
}

/* Checks that the change has a tag of the campaign if it needs one, and none otherwise. Returns 0, or a status after reporting
 * the error. */
static int
check_tag(struct operation_call *call, const struct definitions *definitions, const struct bulk_change *change)
{
	if ((change->action == LEAD_TAG) != (change->tag_id != 0))
		return operation_fail_value(call, PROBLEM_USAGE, "tag", "%s",
		    change->action == LEAD_TAG ? "expected the id of a tag" : "only with the change tag");
	if (change->tag_id != 0 && definitions_tag(definitions, change->tag_id) == NULL)
		return operation_fail_value(call, PROBLEM_INVALID, "tag", "the campaign has no tag with this id");
	return EX_OK;
}

/* A lead that is named by an address gets that address verified, so a request must name all leads in the same way. Returns
 * false after reporting a mixture. */
static bool
choose_channel(struct operation_call *call, struct bulk_request *request)
{
	if (request->action != LEAD_VERIFY)
		return true;
	request->argument = lead_named_channel(request->leads[0].identity);
	for (size_t i = 1; i < request->lead_count; i++) {
		if (request->leads[i].identity == request->leads[0].identity)
			continue;
		operation_fail(call, PROBLEM_INVALID,
		    "name the leads to verify by email addresses, by phone numbers, or by social_ids, not in several ways");
		return false;
	}
	return true;
}

static int
run_lead_change(struct operation_call *call)
{
	const struct bulk_change *change = ARGUMENTS(call, struct bulk_change);
	struct bulk_request request = { .campaign_id = call->id,
		.account_jobs = call->conf->limits.account_bulk_jobs,
		.action = change->action,
		.leads = change->leads.items,
		.lead_count = change->leads.count,
		.tag_ids = &change->tag_id,
		.tag_count = change->tag_id == 0 ? 0 : 1,
		.made_by = queued_job_made_by(call) };
	struct definitions definitions;
	struct campaign campaign;
	struct bulk_queued queued;
	enum result result = operation_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &definitions);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	request.account_id = campaign.account_id;
	const int status = check_tag(call, &definitions, change);
	if (status != EX_OK)
		return status;
	if (!choose_channel(call, &request))
		return EX_DATAERR;
	result = store_queue_bulk(call->store, &call->precondition, &request, &queued);
	if (result == RESULT_NOT_FOUND)
		return answer_command(call, &(struct outcome){ .failure = FAILURE_LEADS_NOT_FOUND });
	if (result == RESULT_TOO_MANY)
		return answer_command(call, &(struct outcome){ .failure = FAILURE_TOO_MANY_JOBS });
	return result == RESULT_OK ? show_queued(call, &request, queued.job_id, queued.leads) : operation_answer(call, result);
}

static const struct parameter jobs_parameters[] = { OPTION("limit", value_limit, 0) };
static const size_t jobs_default = VALUE_LIMIT_DEFAULT;

static int
run_lead_jobs(struct operation_call *call)
{
	struct bulk_job *jobs;
	size_t count;
	enum result result = operation_find_campaign(call, NULL);
	if (result == RESULT_OK)
		result = store_list_bulk_jobs(call->store, call->pool, call->id, *ARGUMENTS(call, size_t), &jobs, &count);
	/* the texts of a change may be about one of its leads */
	const bool personal = caller_has_right(call->caller, RIGHT_LEADS) || caller_has_right(call->caller, RIGHT_CHANGE);
	for (size_t i = 0; result == RESULT_OK && i < count; i++) {
		const struct bulk_job *job = &jobs[i];
		output_record(call->output);
		output_u64(call->output, "id", job->id);
		output_text(call->output, "change", job->action == LEAD_ACTIONS ? SLICE_NONE : lead_action_name(job->action));
		output_u64_or_null(call->output, "tag_id", job->tag_id);
		output_text(call->output, "argument", personal ? job->argument : SLICE_NONE);
		output_i64(call->output, "points", job->points);
		output_text(call->output, "message", personal ? job->message : SLICE_NONE);
		output_u64(call->output, "leads", job->total);
		output_u64(call->output, "done", job->position);
		output_u64(call->output, "failures", job->failures);
		output_time(call->output, "delayed_until", job->delayed_until_ms == 0 ? -1 : job->delayed_until_ms);
		output_time(call->output, "created_at", job->created_ms);
	}
	return operation_answer(call, result);
}

OPERATION(lead_points, "lead points", "CAMPAIGN POINTS LEAD... [--message TEXT]", "give points to leads, or take them",
    run_lead_points, .subject = &subject_campaign, PARAMETERS(points_parameters, struct lead_points),
    HTTP(POST, "campaigns/{campaign}/points", RIGHT_CHANGE), .effect = ADDS);
OPERATION(lead_change, "lead change", "CAMPAIGN WORD LEAD... [--tag ID]",
    "queue a change of leads: verify, block, delete and so on", run_lead_change, .subject = &subject_campaign,
    PARAMETERS(change_parameters, struct bulk_change), HTTP(POST, "campaigns/{campaign}/bulk", RIGHT_CHANGE), .effect = ADDS,
    .logs_output = true);
OPERATION(lead_jobs, "lead jobs", "CAMPAIGN [--limit N]", "list the changes of leads that are not done", run_lead_jobs,
    .subject = &subject_campaign, PARAMETERS(jobs_parameters, size_t), .defaults = &jobs_default, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/bulk", RIGHT_STATS | RIGHT_CHANGE));
