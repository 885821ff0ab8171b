/* SPDX-License-Identifier: MIT
 * The test of a webhook (leadhook(1), webhook test). */
#include <inttypes.h>
#include <stddef.h>
#include <sysexits.h>

#include "admin/jobs/queued_job.h"
#include "identity/link.h"
#include "operation/value_types.h"
#include "operation/wiring.h"
#include "store/operator/check_findings.h"
#include "store/operator/webhook_admin.h"
#include "webhook/webhook_url.h"

static int
queue_test(struct operation_call *call)
{
	struct webhook_details webhook;
	const enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	return result == RESULT_OK ? queued_job_add(call, webhook.row.campaign_id, JOB_WEBHOOK_TEST,
					 job_test_parameters(call->pool, &(struct job_test){ .webhook_id = call->id }))
				   : operation_answer(call, result);
}

/* A command line only with what needs no quotes inside quotes, and may be a webhook's URL. */
static bool
may_be_the_url(struct operation_call *call, struct slice location)
{
	return slice_present(location) && !slice_ends_with(location, SLICE("...")) &&
	       slice_find(location, '\'') == location.size &&
	       webhook_url_judge(call->pool, location, call->wiring->webhook_addresses) == WEBHOOK_URL_OK;
}

/* What a redirect means (docs/deliveries.md 3.3), and the command that changes what comes of it. */
static void
explain_redirect(struct operation_call *call, const struct webhook_test *test)
{
	const struct slice to = test->location;
	if (test->moved) {
		operation_warn(call, "the receiver says that its URL has moved to %.*s", SLICE_ARGS(to));
		if (may_be_the_url(call, to))
			operation_warn(call, "if that is your receiver: leadhook webhook set %" PRIu64 " url='%.*s'", call->id,
			    SLICE_ARGS(to));
	} else if ((test->status == 302 || test->status == 303) && link_is_absolute(to)) {
		operation_warn(call,
		    "the receiver redirects to %.*s: it has probably done its work and shows a page, unless one has to log in "
		    "there",
		    SLICE_ARGS(to));
		if (!test->ok)
			operation_warn(call,
			    "to count such answers as delivered: leadhook webhook set %" PRIu64 " accepts=302,303", call->id);
	} else if (test->status >= 300 && test->status < 400) {
		operation_warn(call, "the receiver redirects to no page: it must answer 2xx");
	}
}

struct webhook_test_arguments {
	bool queue;
};
static const struct parameter parameters[] = {
	OPTION_WITH("queue", value_on, offsetof(struct webhook_test_arguments, queue), PARAMETER_SHELL | PARAMETER_ON_BY_HTTP),
};

static int
run_webhook_test(struct operation_call *call)
{
	struct webhook_test test;
	if (ARGUMENTS(call, struct webhook_test_arguments)->queue)
		return queue_test(call);
	sender_prepare_process();
	const enum result result = job_test_webhook(call->wiring->job_settings, call->store, call->pool, call->id, &test);
	if (result == RESULT_REFUSED)
		return operation_fail(call, PROBLEM_INTERNAL, "nothing can be sent from here");
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (test.sealed)
		return operation_fail(call, PROBLEM_CONFIG,
		    "URL or secret of the webhook cannot be opened: server.secrets_key does not have its key (leadhook check)");
	output_record(call->output);
	output_job_fields(call->output, webhook_test_fields, WEBHOOK_TEST_FIELDS, &test);
	explain_redirect(call, &test);
	return test.ok ? EX_OK : EX_UNAVAILABLE;
}

OPERATION(webhook_test, "webhook test", "WEBHOOK [--queue]", "send a test delivery and show the response", run_webhook_test,
    .subject = &subject_webhook, PARAMETERS(parameters, struct webhook_test_arguments),
    HTTP(POST, "webhooks/{webhook}/test", RIGHT_HOOKS), .effect = QUEUES);
