/* SPDX-License-Identifier: MIT
 * Jobs of the dispatcher: list, show, cancel (docs/operating.md 4.1). */
#include <stddef.h>
#include <sysexits.h>

#include "admin/jobs/queued_job.h"
#include "base/utf8.h"
#include "operation/value_types.h"

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
	const size_t shown = filter.limit++; /* one more shows whether the list goes on */
	const enum result result = store_list_jobs(call->store, call->pool, &filter, &jobs, &count);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	for (size_t i = 0; i < count && i < shown; i++)
		queued_job_output(call->output, &jobs[i]);
	if (count > shown)
		operation_next_id(call, jobs[shown - 1].id);
	return EX_OK;
}

static int
run_job_show(struct operation_call *call)
{
	return queued_job_show(call, call->id);
}

static int
run_job_cancel(struct operation_call *call)
{
	struct operator_job job;
	enum result result = store_find_job(call->store, call->pool, call->id, &job);
	if (result == RESULT_OK && !queued_job_is_of_caller(call, &job))
		return operation_fail(call, PROBLEM_FORBIDDEN, "a caller that may not queue such a job does not cancel it");
	if (result == RESULT_OK)
		result = store_cancel_job(call->store, call->id);
	if (result == RESULT_REFUSED)
		return operation_fail(call, PROBLEM_CONFLICT, "the job has ended");
	return result == RESULT_OK ? queued_job_show(call, call->id) : operation_answer(call, result);
}

OPERATION(job_list, "job list", "[--account ID] [--campaign ID] [--limit N] [--after N]",
    "list jobs of the dispatcher, the newest first", run_job_list, PARAMETERS(list_parameters, struct job_filter),
    .defaults = &list_defaults, .shape = OUTPUT_ARRAY,
    HTTP(GET, "campaigns/{campaign}/jobs", RIGHT_STATS | RIGHT_HOOKS | RIGHT_MANAGE));
OPERATION(job_show, "job show", "JOB", "show a job, how far it came and its result", run_job_show, .subject = &subject_job,
    HTTP(GET, "jobs/{job}", RIGHT_STATS | RIGHT_HOOKS | RIGHT_MANAGE));
OPERATION(job_cancel, "job cancel", "JOB", "end a job; what it has done stays done", run_job_cancel, .subject = &subject_job,
    HTTP(POST, "jobs/{job}/cancel", RIGHT_HOOKS | RIGHT_MANAGE), .effect = CHANGES, .shown_by = &operation_job_show);
