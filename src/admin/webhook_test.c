/* SPDX-License-Identifier: MIT
 * The test of a webhook (leadhook(1), webhook test). */
#include <sysexits.h>

#include "admin/admin.h"
#include "admin/commands.h"
#include "admin/jobs.h"
#include "store/operator/admin.h"

static int
queue_test(struct admin_call *call)
{
	struct webhook_details webhook;
	const enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	return result == RESULT_OK ? admin_queue_job(call, webhook.row.campaign_id, JOB_WEBHOOK_TEST,
					 job_webhook_parameters(call->pool, call->id))
				   : admin_answer(call, result);
}

int
admin_webhook_test(struct admin_call *call)
{
	struct webhook_test test;
	if (admin_queues(call))
		return queue_test(call);
	call->wiring->prepare_sending();
	const enum result result = job_test_webhook(call->wiring->job_tools, call->store, call->pool, call->id, &test);
	if (result == RESULT_INVALID)
		return admin_fail(call, PROBLEM_INTERNAL, "nothing can be sent from here");
	if (result != RESULT_OK)
		return admin_answer(call, result);
	if (test.sealed)
		return admin_fail(call, PROBLEM_CONFIG,
		    "URL or secret of the webhook cannot be opened: server.secrets_key does not have its key (leadhook check)");
	size_t count;
	const struct job_field *fields = job_webhook_test_fields(&count);
	output_record(call->output);
	admin_output_fields(call->output, fields, count, &test);
	return test.ok ? EX_OK : EX_UNAVAILABLE;
}
