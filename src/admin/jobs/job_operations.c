/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher: list, show, cancel (docs/operating.md 4.1). */
#include "admin/jobs/job_operations.h"

#include "base/utf8.h"
#include "jobs/job_parameters.h"
#include "operation/value_types.h"

void
output_job_fields(struct output *output, const struct job_field *fields, const void *values)
{
	for (; fields->name != NULL; fields++) {
		const struct job_value value = job_field_value(fields, values);
		if (value.kind == JOB_VALUE_NUMBER)
			output_u64(output, fields->name, value.number);
		else if (value.kind == JOB_VALUE_BOOLEAN)
			output_boolean(output, fields->name, value.number != 0);
		else
			output_text(output, fields->name, value.text);
	}
}

/* The right that is needed to see the details of a job of each kind, and to cancel it. For kinds of later versions it is not
 * known. */
static const rights rights_of[JOB_KINDS + 1] = {
	[JOB_REDELIVERY] = RIGHT_HOOKS,
	[JOB_WEBHOOK_TEST] = RIGHT_HOOKS,
	[JOB_MAIL_TEST] = RIGHT_MANAGE,
	[JOB_SAMPLE_MAIL] = RIGHT_MANAGE,
	[JOB_ADDRESS_COUNT] = RIGHT_MANAGE,
	[JOB_KINDS] = RIGHTS_ALL,
};

static bool
may_queue(const struct operation_call *call, const struct operator_job *job)
{
	return rights_suffice(caller_rights(call->caller), rights_of[job->kind], true);
}

/* Outputs the fields that lists show. */
static void
output_job(struct output *output, const struct operator_job *job)
{
	output_record(output);
	output_u64(output, "id", job->id);
	output_text(output, "kind", job->kind_name);
	output_text(output, "state", job_state_name(job->state));
	output_u64_or_null(output, "account", job->account_id);
	output_u64_or_null(output, "campaign", job->campaign_id);
	output_u64(output, "done", job->done);
	output_u64_or_null(output, "total", job->total);
	output_time(output, "created_at", job->created_ms);
	output_time(output, "started_at", job->started_ms);
	output_time(output, "ended_at", job->ended_ms);
	output_text(output, "error", job->error);
}

/* Outputs everything about a job that the caller may see. Returns a status. */
static int
show_job(struct operation_call *call, uint64_t id)
{
	struct operator_job job;
	const enum result result = store_find_job(call->store, call->pool, id, &job);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (!may_queue(call, &job))
		job.made_by = job.parameters = job.result = SLICE_NONE;
	else if (!caller_has_right(call->caller, RIGHT_LEADS))
		job.parameters = job_parameters_without_lead(call->pool, &job);
	output_job(call->output, &job);
	output_text(call->output, "made_by", job.made_by);
	/* parameters and result may contain the address of a person */
	output_json(call->output, "parameters", job.parameters);
	output_keep_private(call->output);
	output_json(call->output, "result", job.result);
	output_keep_private(call->output);
	return EX_OK;
}

/* The text is cut to the size of the column. */
struct slice
queued_job_made_by(struct operation_call *call)
{
	return utf8_cut(caller_shown(call->pool, call->caller), JOB_MADE_BY_MAX);
}

int
queued_job_answer(struct operation_call *call, enum result result, uint64_t id)
{
	if (result == RESULT_TOO_MANY)
		return operation_fail(call, PROBLEM_TOO_MANY_JOBS,
		    "%d jobs of the account have not ended: see leadhook job list", OPERATOR_JOBS_MAX);
	return result == RESULT_OK ? show_job(call, id) : operation_answer(call, result);
}

int
queued_job_add(struct operation_call *call, uint64_t campaign_id, enum job_kind kind, struct slice parameters)
{
	struct campaign campaign = { 0 };
	int64_t now_ms;
	uint64_t id = 0;
	enum result result = RESULT_OK;
	if (campaign_id != 0)
		result = store_find_campaign(call->store, call->pool, campaign_id, &campaign, &now_ms);
	if (result == RESULT_NOT_FOUND)
		return operation_fail(call, PROBLEM_NOT_FOUND, "there is no such campaign");
	const struct job_request request = { campaign.account_id, campaign_id, kind, parameters, queued_job_made_by(call) };
	if (result == RESULT_OK)
		result = store_add_job(call->store, &call->precondition, &request, &id);
	return queued_job_answer(call, result, id);
}

#define PLACE(member) offsetof(struct job_filter, member)
static const struct value_type value_job_id = { ID_TYPE, .expected = "the id of a job" };
static const struct parameter list_parameters[] = {
	OPTION("account", value_account, PLACE(account_id)),
	OPTION("campaign", value_campaign, PLACE(campaign_id)),
	OPTION("after", value_job_id, PLACE(below)),
	OPTION("limit", value_limit, PLACE(limit)),
};
#undef PLACE
static const struct job_filter list_defaults = { .limit = VALUE_LIMIT_DEFAULT };

static int
run_job_list(struct operation_call *call)
{
	struct job_filter filter = *ARGUMENTS(call, struct job_filter);
	struct operator_job *jobs;
	size_t count;
	if (filter.account_id != 0 && filter.campaign_id != 0)
		return operation_fail_value(
		    call, PROBLEM_USAGE, "campaign", "not together with %s", parameter_shown(call, "account"));
	const size_t shown = filter.limit++; /* one more row shows whether the list continues */
	const enum result result = store_list_jobs(call->store, call->pool, &filter, &jobs, &count);
	for (size_t i = 0; result == RESULT_OK && i < count && i < shown; i++)
		output_job(call->output, &jobs[i]);
	if (result == RESULT_OK && count > shown)
		operation_next_id(call, jobs[shown - 1].id);
	return operation_answer(call, result);
}

static int
run_job_show(struct operation_call *call)
{
	return show_job(call, call->id);
}

static int
run_job_cancel(struct operation_call *call)
{
	struct operator_job job;
	enum result result = store_find_job(call->store, call->pool, call->id, &job);
	if (result == RESULT_OK && !may_queue(call, &job))
		return operation_fail(call, PROBLEM_FORBIDDEN, "a caller that may not queue such a job does not cancel it");
	if (result == RESULT_OK)
		result = store_cancel_job(call->store, call->id);
	if (result == RESULT_REFUSED)
		return operation_fail(call, PROBLEM_CONFLICT, "the job has ended");
	return result == RESULT_OK ? show_job(call, call->id) : operation_answer(call, result);
}

OPERATION(job_list, "job list", "[--account ID] [--campaign ID] [--limit N] [--after N]",
    "list jobs of the dispatcher, the newest first", run_job_list, PARAMETERS(list_parameters, struct job_filter),
    .defaults = &list_defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/jobs", RIGHT_STATS | RIGHT_HOOKS | RIGHT_MANAGE));
OPERATION(job_show, "job show", "JOB", "show a job, how far it came and its result", run_job_show, .subject = &subject_job,
    HTTP(GET, "jobs/{job}", RIGHT_STATS | RIGHT_HOOKS | RIGHT_MANAGE));
OPERATION(job_cancel, "job cancel", "JOB", "end a job; what it has done stays done", run_job_cancel, .subject = &subject_job,
    HTTP(POST, "jobs/{job}/cancel", RIGHT_HOOKS | RIGHT_MANAGE), .effect = CHANGES, .shown_by = &operation_job_show);
