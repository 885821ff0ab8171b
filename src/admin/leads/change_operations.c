/* SPDX-License-Identifier: MIT
 * Changes of leads: points, and the bulk changes of docs/api.md 4.1, which the dispatcher makes. */
#include <inttypes.h>
#include <sysexits.h>

#include "admin/jobs/job_operations.h"
#include "admin/operations.h"
#include "engine/command.h"
#include "engine/failure.h"
#include "identity/email.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/operator/lead_jobs.h"

enum { COMMAND_MS = 10000 };

int
admin_outcome(struct admin_call *call, const struct outcome *outcome)
{
	static const struct {
		enum failure failure;
		enum admin_problem problem;
		const char *message; /* NULL: the failure's */
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
				   ? admin_fail(call, problems[i].problem, "%.*s", SLICE_ARGS(outcome->detail))
				   : admin_fail(call, problems[i].problem, "%s", problems[i].message);
	return admin_fail(call, PROBLEM_INTERNAL, "the command failed; see the log for the reason");
}

void
admin_execute(struct admin_call *call, const struct campaign *campaign, struct command *command, struct outcome *outcome)
{
	const struct command *one = command;
	command->rights = caller_rights(call->caller);
	command->campaign_id = campaign->id;
	command->account_id = command->owner_id = campaign->account_id;
	store_execute(call->store, call->pool, &one, 1, clock_monotonic_ms() + COMMAND_MS, outcome, NULL);
}

/* An email address, a number that begins with +, or a social_id. */
static bool
read_lead(struct admin_call *call, struct slice text, struct lead_reference *lead)
{
	struct email email;
	if (slice_find(text, '@') < text.size) {
		const bool valid = email_parse(call->pool, text, &email);
		*lead = (struct lead_reference){ .identity = LEAD_BY_EMAIL, .value = email.key };
		return valid;
	}
	const bool phone = slice_starts_with(text, SLICE("+"));
	lead->identity = phone ? LEAD_BY_PHONE : LEAD_BY_SOCIAL_ID;
	return phone ? phone_parse(call->pool, text, SLICE_NONE, &lead->value)
		     : social_id_parse(call->pool, text, &lead->value);
}

/* The operands from the third on. Reports an invalid one and returns false. */
static bool
read_leads(struct admin_call *call, struct lead_reference **leads, size_t *count)
{
	*count = call->operand_count - 2;
	*leads = POOL_ARRAY(call->pool, *count, struct lead_reference);
	for (size_t i = 0; i < *count; i++) {
		const char *text = call->operands[i + 2];
		if (read_lead(call, slice_of(text), &(*leads)[i]))
			continue;
		admin_fail(call, PROBLEM_INVALID,
		    "%s is not an email address, a phone number that begins with +, or a social_id", text);
		return false;
	}
	return true;
}

static int
show_queued(struct admin_call *call, const struct bulk_request *request, uint64_t job_id, size_t leads)
{
	const size_t named = request->lead_count;
	output_record(call->output);
	output_u64_or_null(call->output, "job", job_id);
	output_text(call->output, "change", lead_action_name(request->action));
	output_u64_or_null(call->output, "tag_id", request->tag_count == 0 ? 0 : request->tag_ids[0]);
	output_u64(call->output, "leads", leads);
	if (leads < named)
		admin_warn(call, "%zu of the %zu do not exist, or were named twice", named - leads, named);
	return EX_OK;
}

int
admin_lead_points(struct admin_call *call)
{
	const char *message = call->options[OPTION_MESSAGE];
	struct points_call points = { .account_jobs = call->conf->limits.account_bulk_jobs,
		.message = message == NULL ? SLICE_NONE : slice_of(message) };
	struct command command = { .kind = COMMAND_POINTS };
	struct lead_reference *leads;
	struct campaign campaign;
	struct outcome outcome;
	struct slice bad;
	if (!value_delta(call->pool, slice_of(call->operands[1]), &points.points, &bad) || points.points == 0)
		return admin_fail(call, PROBLEM_INVALID, "points: expected a number from -99999 to 99999, but not 0");
	if (points.message.size > call->conf->limits.value_bytes)
		return admin_fail_option(
		    call, PROBLEM_INVALID, OPTION_MESSAGE, "expected at most %zu bytes", call->conf->limits.value_bytes);
	if (!read_leads(call, &leads, &points.lead_count))
		return EX_DATAERR;
	points.leads = leads;
	command.as.points = points;
	const enum result result = admin_find_campaign(call, &campaign);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	admin_execute(call, &campaign, &command, &outcome);
	if (outcome.failure != FAILURE_NONE)
		return admin_outcome(call, &outcome);
	output_record(call->output);
	output_u64(call->output, "queued", outcome.queued);
	return EX_OK;
}

/* Reads the word, and whether it comes with a tag of the campaign. Returns 0, or a status after reporting the error. */
static int
read_change(struct admin_call *call, const struct definitions *definitions, enum lead_action *action, uint64_t *tag_id)
{
	static const struct value_option tag[] = { { OPTION_TAG, value_id, 0, "the id of a tag" } };
	*tag_id = 0;
	if (!lead_action_parse(slice_of(call->operands[1]), action) || *action == LEAD_POINTS)
		return admin_fail(
		    call, PROBLEM_INVALID, "%s is no change of leads; see leadhook(1), lead change", call->operands[1]);
	if (!values_take(call, tag, ARRAY_SIZE(tag), tag_id))
		return EX_DATAERR;
	if ((*action == LEAD_TAG) != (*tag_id != 0))
		return admin_fail_option(call, PROBLEM_USAGE, OPTION_TAG,
		    *action == LEAD_TAG ? "expected the id of a tag" : "only with the change tag");
	if (*tag_id != 0 && definitions_tag(definitions, *tag_id) == NULL)
		return admin_fail_option(call, PROBLEM_INVALID, OPTION_TAG, "the campaign has no tag with this id");
	return EX_OK;
}

/* What is verified of leads that are named by an address is that address: they are not named in several ways. Reports that and
 * returns false. */
static bool
choose_channel(struct admin_call *call, struct bulk_request *request)
{
	if (request->action != LEAD_VERIFY)
		return true;
	request->argument = lead_named_channel(request->leads[0].identity);
	for (size_t i = 1; i < request->lead_count; i++) {
		if (request->leads[i].identity == request->leads[0].identity)
			continue;
		admin_fail(call, PROBLEM_INVALID,
		    "name the leads to verify by email addresses, by phone numbers, or by social_ids, not in several ways");
		return false;
	}
	return true;
}

int
admin_lead_change(struct admin_call *call)
{
	struct bulk_request request = { .campaign_id = call->id, .account_jobs = call->conf->limits.account_bulk_jobs };
	struct lead_reference *leads;
	struct definitions definitions;
	struct campaign campaign;
	uint64_t tag_id, job_id;
	size_t matched;
	enum result result = admin_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_find_definitions(call->store, call->pool, call->id, &definitions);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	const int status = read_change(call, &definitions, &request.action, &tag_id);
	if (status != EX_OK)
		return status;
	if (!read_leads(call, &leads, &request.lead_count))
		return EX_DATAERR;
	request.account_id = campaign.account_id;
	request.tag_ids = &tag_id;
	request.tag_count = tag_id == 0 ? 0 : 1;
	request.leads = leads;
	request.made_by = admin_made_by(call);
	if (!choose_channel(call, &request))
		return EX_DATAERR;
	result = store_queue_bulk(call->store, &request, &matched, &job_id);
	if (result == RESULT_NOT_FOUND)
		return admin_outcome(call, &(struct outcome){ .failure = FAILURE_LEADS_NOT_FOUND });
	if (result == RESULT_TOO_MANY)
		return admin_outcome(call, &(struct outcome){ .failure = FAILURE_TOO_MANY_JOBS });
	return result == RESULT_OK ? show_queued(call, &request, job_id, matched) : admin_answer(call, result);
}

int
admin_lead_jobs(struct admin_call *call)
{
	static const struct value_option limit_option = { OPTION_LIMIT, value_limit, 0, "a number from 1 to 10000" };
	struct campaign campaign;
	struct lead_job *jobs;
	size_t limit = VALUE_LIMIT_DEFAULT, count;
	if (!values_take(call, &limit_option, 1, &limit))
		return EX_DATAERR;
	enum result result = admin_find_campaign(call, &campaign);
	if (result == RESULT_OK)
		result = store_list_lead_jobs(call->store, call->pool, call->id, limit, &jobs, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	/* texts that come with changes of leads may be about one of them */
	const bool personal = caller_has_right(call->caller, RIGHT_LEADS) || caller_has_right(call->caller, RIGHT_CHANGE);
	for (size_t i = 0; i < count; i++) {
		const struct lead_job *job = &jobs[i];
		output_record(call->output);
		output_u64(call->output, "id", job->id);
		output_text(call->output, "change", job->action == LEAD_ACTIONS ? SLICE_NONE : lead_action_name(job->action));
		output_u64_or_null(call->output, "tag_id", job->tag_id);
		output_text(call->output, "argument", personal ? job->argument : SLICE_NONE);
		output_i64(call->output, "points", job->points);
		output_text(call->output, "message", personal ? job->message : SLICE_NONE);
		output_u64(call->output, "leads", job->leads);
		output_u64(call->output, "done", job->done);
		output_u64(call->output, "failures", job->failures);
		output_time(call->output, "delayed_until", job->delayed_until_ms == 0 ? -1 : job->delayed_until_ms);
		output_time(call->output, "created_at", job->created_ms);
	}
	return EX_OK;
}
