/* SPDX-License-Identifier: MIT */
#include "shell/test_sending.h"

#include <inttypes.h>
#include <sysexits.h>

#include "admin/jobs/job_operations.h"
#include "base/panic.h"
#include "identity/link.h"
#include "jobs/test_mails.h"
#include "jobs/webhook_test.h"
#include "operation/operation_wiring.h"
#include "webhook/webhook_url.h"

/* ---- webhooks ---- */

/* Whether a suggested command can contain the location: it needs no escapes, and is allowed for webhooks. */
static bool
may_be_the_url(struct operation_call *call, struct slice location)
{
	return slice_present(location) && !slice_ends_with(location, SLICE("...")) &&
	       slice_find(location, '\'') == location.size &&
	       webhook_url_judge(call->pool, location, call->wiring->webhook_addresses) == WEBHOOK_URL_OK;
}

/* Explains a redirect (docs/deliveries.md 3.3), and names the command that changes how it is treated. */
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

static int
test_webhook(struct operation_call *call, uint64_t webhook_id)
{
	struct webhook_test test;
	const enum result result = job_test_webhook(call->wiring->job_settings, call->store, call->pool, webhook_id, &test);
	if (result == RESULT_REFUSED)
		return operation_fail(call, PROBLEM_INTERNAL, "nothing can be sent from here");
	if (result != RESULT_OK)
		return operation_answer(call, result);
	if (test.sealed)
		return operation_fail(call, PROBLEM_CONFIG,
		    "URL or secret of the webhook cannot be opened: server.secrets_key does not have its key (leadhook check)");
	output_record(call->output);
	output_job_fields(call->output, webhook_test_fields, &test);
	explain_redirect(call, &test);
	return test.ok ? EX_OK : EX_UNAVAILABLE;
}

/* ---- mails ---- */

/* Outputs what became of the mail, or reports why it was not sent. */
static int
answer_mail(struct operation_call *call, enum result result, const struct mail_test *test)
{
	if (result == RESULT_OK || test->accepted) {
		output_record(call->output);
		output_job_fields(call->output, mail_test_fields, test);
	}
	if (result != RESULT_OK)
		return operation_answer(call, result);
	return test->accepted ? EX_OK : EX_UNAVAILABLE;
}

static int
test_mail(struct operation_call *call, const struct job_test *test)
{
	struct mail_test sent = { .accepted = false };
	const enum result result =
	    job_test_mail(call->wiring->job_settings, call->store, call->pool, test->address, NULL, &sent);
	return answer_mail(call, result, &sent);
}

static int
send_sample(struct operation_call *call, const struct job_test *test)
{
	struct sample_mail sample = { .campaign_id = call->id, .language = test->language, .address = test->address };
	struct mail_test sent = { .accepted = false };
	if (!message_kind_parse(test->kind, &sample.kind))
		panic("a sample of an unknown kind");
	const enum result result = job_send_sample(call->wiring->job_settings, call->store, call->pool, &sample, NULL, &sent);
	return answer_mail(call, result, &sent);
}

int
shell_send_test(struct operation_call *call, enum job_kind kind, const struct job_test *test)
{
	sender_prepare_process();
	if (kind == JOB_WEBHOOK_TEST)
		return test_webhook(call, test->webhook_id);
	return kind == JOB_MAIL_TEST ? test_mail(call, test) : send_sample(call, test);
}
