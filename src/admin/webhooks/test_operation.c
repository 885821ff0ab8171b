/* SPDX-License-Identifier: MIT
 * The test of a webhook (leadhook(1), webhook test). */
#include <inttypes.h>
#include <sysexits.h>

#include "admin/jobs/job_operations.h"
#include "admin/operations.h"
#include "identity/link.h"
#include "operation/wiring.h"
#include "store/operator/admin.h"
#include "webhook/webhook_url.h"

static int
queue_test(struct admin_call *call)
{
	struct webhook_details webhook;
	const enum result result = store_find_webhook(call->store, call->pool, call->id, &webhook);
	return result == RESULT_OK ? admin_queue_job(call, webhook.row.campaign_id, JOB_WEBHOOK_TEST,
					 job_webhook_parameters(call->pool, call->id))
				   : admin_answer(call, result);
}

/* A command line only with what needs no quotes inside quotes, and may be a webhook's URL. */
static bool
may_be_the_url(struct admin_call *call, struct slice location)
{
	return slice_present(location) && !slice_ends_with(location, SLICE("...")) &&
	       slice_find(location, '\'') == location.size &&
	       webhook_url_judge(call->pool, location, call->wiring->webhook_addresses) == WEBHOOK_URL_OK;
}

/* What a redirect means (docs/deliveries.md 3.3), and the command that changes what comes of it. */
static void
explain_redirect(struct admin_call *call, const struct webhook_test *test)
{
	const struct slice to = test->location;
	if (test->moved) {
		admin_warn(call, "the receiver says that its URL has moved to %.*s", SLICE_ARGS(to));
		if (may_be_the_url(call, to))
			admin_warn(call, "if that is your receiver: leadhook webhook set %" PRIu64 " url='%.*s'", call->id,
			    SLICE_ARGS(to));
	} else if ((test->status == 302 || test->status == 303) && link_is_absolute(to)) {
		admin_warn(call,
		    "the receiver redirects to %.*s: it has probably done its work and shows a page, unless one has to log in "
		    "there",
		    SLICE_ARGS(to));
		if (!test->ok)
			admin_warn(call, "to count such answers as delivered: leadhook webhook set %" PRIu64 " accepts=302,303",
			    call->id);
	} else if (test->status >= 300 && test->status < 400) {
		admin_warn(call, "the receiver redirects to no page: it must answer 2xx");
	}
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
	explain_redirect(call, &test);
	return test.ok ? EX_OK : EX_UNAVAILABLE;
}
