/* SPDX-License-Identifier: MIT */
#include "admin/jobs/queued_job.h"

#include <stddef.h>
#include <sysexits.h>

#include "base/utf8.h"
#include "operation/value_types.h"

void
output_job_fields(struct output *output, const struct job_field *fields, size_t count, const void *values)
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

/* Of which the details are shown, and which are cancelled, with this right. Of a kind of a later version it is not known. */
static const rights rights_of[JOB_KINDS + 1] = {
	[JOB_REDELIVERY] = RIGHT_HOOKS,
	[JOB_WEBHOOK_TEST] = RIGHT_HOOKS,
	[JOB_MAIL_TEST] = RIGHT_MANAGE,
	[JOB_SAMPLE_MAIL] = RIGHT_MANAGE,
	[JOB_ADDRESS_COUNT] = RIGHT_MANAGE,
	[JOB_KINDS] = RIGHTS_ALL,
};

bool
queued_job_is_of_caller(const struct operation_call *call, const struct operator_job *job)
{
	return rights_suffice(caller_rights(call->caller), rights_of[job->kind], true);
}

void
queued_job_output(struct output *output, const struct operator_job *job)
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

int
queued_job_show(struct operation_call *call, uint64_t id)
{
	struct operator_job job;
	const enum result result = store_find_job(call->store, call->pool, id, &job);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (!queued_job_is_of_caller(call, &job))
		job.made_by = job.parameters = job.result = SLICE_NONE;
	else if (!caller_has_right(call->caller, RIGHT_LEADS))
		job.parameters = job_parameters_without_lead(call->pool, &job);
	queued_job_output(call->output, &job);
	output_text(call->output, "made_by", job.made_by);
	/* they may have the address of a person */
	output_json(call->output, "parameters", job.parameters);
	output_keep_private(call->output);
	output_json(call->output, "result", job.result);
	output_keep_private(call->output);
	return EX_OK;
}

/* As far as the column has room for it. */
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
	return result == RESULT_OK ? queued_job_show(call, id) : operation_answer(call, result);
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
