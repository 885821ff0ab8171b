/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher: list, show, cancel (docs/operating.md 4.1). */
#include "admin/jobs/job_operations.h"

#include <stddef.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "base/utf8.h"
#include "operation/value_types.h"

void
admin_output_fields(struct output *output, const struct job_field *fields, size_t count, const void *values)
{
	for (size_t i = 0; i < count; i++) {
		const struct job_value value = job_field_value(&fields[i], values);
		if (value.kind == JOB_VALUE_NUMBER)
			output_u64(output, fields[i].name, value.number);
		else if (value.kind == JOB_VALUE_BOOLEAN)
			output_boolean(output, fields[i].name, value.number != 0);
		else
			output_text(output, fields[i].name, value.text);
	}
}

static void
output_object(struct output *output, const char *key, struct slice json)
{
	if (slice_present(json))
		output_json(output, key, json);
	else
		output_text(output, key, SLICE_NONE);
}

/* Of which the details are shown, and which are cancelled, with this right. Of a kind of a later version it is not known. */
static const rights rights_of[JOB_KINDS + 1] = {
	[JOB_REDELIVERY] = RIGHT_HOOKS,
	[JOB_WEBHOOK_TEST] = RIGHT_HOOKS,
	[JOB_MAIL_TEST] = RIGHT_MANAGE,
	[JOB_SAMPLE_MAIL] = RIGHT_MANAGE,
	[JOB_ADDRESS_COUNT] = RIGHT_MANAGE,
	[JOB_KINDS] = RIGHTS_ALL,
};

static bool
may_have_made(const struct admin_call *call, const struct operator_job *job)
{
	return rights_suffice(caller_rights(call->caller), rights_of[job->kind], true);
}

/* What lists show. */
static void
add_job(struct output *output, const struct operator_job *job)
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

static int
show_job(struct admin_call *call, uint64_t id)
{
	struct operator_job job;
	const enum result result = store_find_job(call->store, call->pool, id, &job);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (!may_have_made(call, &job))
		job.made_by = job.parameters = job.result = SLICE_NONE;
	else if (!caller_has_right(call->caller, RIGHT_LEADS))
		job.parameters = job_parameters_without_lead(call->pool, &job);
	add_job(call->output, &job);
	output_text(call->output, "made_by", job.made_by);
	/* they may have the address of a person */
	output_object(call->output, "parameters", job.parameters);
	output_keep_private(call->output);
	output_object(call->output, "result", job.result);
	output_keep_private(call->output);
	return EX_OK;
}

/* As far as the column has room for it. */
struct slice
admin_made_by(struct admin_call *call)
{
	return utf8_cut(caller_shown(call->pool, call->caller), JOB_MADE_BY_MAX);
}

int
admin_answer_job(struct admin_call *call, enum result result, uint64_t id)
{
	if (result == RESULT_TOO_MANY)
		return admin_fail(call, PROBLEM_TOO_MANY_JOBS, "%d jobs of the account have not ended: see leadhook job list",
		    OPERATOR_JOBS_MAX);
	return result == RESULT_OK ? show_job(call, id) : admin_answer(call, result);
}

bool
admin_queues(const struct admin_call *call)
{
	return call->is_remote || call->options[OPTION_QUEUE] != NULL;
}

int
admin_queue_job(struct admin_call *call, uint64_t campaign_id, enum job_kind kind, struct slice parameters)
{
	struct campaign campaign = { 0 };
	int64_t now_ms;
	uint64_t id = 0;
	enum result result = RESULT_OK;
	if (campaign_id != 0)
		result = store_find_campaign(call->store, call->pool, campaign_id, &campaign, &now_ms);
	if (result == RESULT_NOT_FOUND)
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no such campaign");
	const struct job_request request = { campaign.account_id, campaign_id, kind, parameters, admin_made_by(call) };
	if (result == RESULT_OK)
		result = store_add_job(call->store, &request, &id);
	return admin_answer_job(call, result, id);
}

#define PLACE(member) offsetof(struct job_filter, member)
static const struct value_option filter_table[] = {
	{ OPTION_ACCOUNT, value_id, PLACE(account_id), "the id of an account" },
	{ OPTION_CAMPAIGN, value_id, PLACE(campaign_id), "the id of a campaign" },
	{ OPTION_AFTER, value_id, PLACE(below), "the id of a job" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
};
#undef PLACE

int
admin_job_list(struct admin_call *call)
{
	struct job_filter filter = { .limit = VALUE_LIMIT_DEFAULT };
	struct operator_job *jobs;
	size_t count;
	if (!values_take(call, filter_table, ARRAY_SIZE(filter_table), &filter))
		return EX_DATAERR;
	if (filter.account_id != 0 && filter.campaign_id != 0)
		return admin_fail_option(
		    call, PROBLEM_USAGE, OPTION_CAMPAIGN, "not together with %s", admin_option_shown(call, OPTION_ACCOUNT));
	const size_t shown = filter.limit++; /* one more shows whether the list goes on */
	const enum result result = store_list_jobs(call->store, call->pool, &filter, &jobs, &count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count && i < shown; i++)
		add_job(call->output, &jobs[i]);
	if (count > shown)
		admin_next_id(call, jobs[shown - 1].id);
	return EX_OK;
}

int
admin_job_show(struct admin_call *call)
{
	return show_job(call, call->id);
}

int
admin_job_cancel(struct admin_call *call)
{
	struct operator_job job;
	enum result result = store_find_job(call->store, call->pool, call->id, &job);
	if (result == RESULT_OK && !may_have_made(call, &job))
		return admin_fail(call, PROBLEM_FORBIDDEN, "a caller that may not queue such a job does not cancel it");
	if (result == RESULT_OK)
		result = store_cancel_job(call->store, call->id);
	if (result == RESULT_INVALID)
		return admin_fail(call, PROBLEM_CONFLICT, "the job has ended");
	return result == RESULT_OK ? show_job(call, call->id) : admin_answer(call, result);
}
