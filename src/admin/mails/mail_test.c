/* SPDX-License-Identifier: MIT
 */
#include "admin/mails/mail_test.h"

#include <stddef.h>
#include <sysexits.h>

#include "admin/jobs/queued_job.h"
#include "identity/email.h"
#include "operation/value_types.h"
#include "operation/wiring.h"
#include "store/messages/delays.h"

int
mail_test_address(struct operation_call *call, struct slice text, struct slice *address)
{
	struct email email;
	if (*call->conf->mail.host == '\0')
		return operation_fail(call, PROBLEM_CONFIG, "mail is off: mail.host and mail.from are not set");
	if (!email_parse(call->pool, text, &email))
		return operation_fail(call, PROBLEM_INVALID, "the address is not a valid email address");
	*address = email.display;
	return EX_OK;
}

int
mail_test_answer(struct operation_call *call, enum result result, const struct mail_test *test)
{
	if (result == RESULT_OK || test->accepted) {
		output_record(call->output);
		output_job_fields(call->output, mail_test_fields, MAIL_TEST_FIELDS, test);
	}
	if (result != RESULT_OK)
		return operation_answer(call, result);
	return test->accepted ? EX_OK : EX_UNAVAILABLE;
}
