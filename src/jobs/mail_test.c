/* SPDX-License-Identifier: MIT
 * Tests of mail (leadhook(1), mail test, mail sample). */
#include <stddef.h>

#include "jobs/fields.h"
#include "jobs/jobs.h"
#include "store/messages/mail_queue.h"

enum result
job_test_mail(const struct job_tools *tools, struct store *store, struct pool *pool, struct slice address,
    const atomic_bool *stop, struct mail_test *test)
{
	if (!tools->has_mail)
		return RESULT_REFUSED;
	tools->send_mail(tools->context, pool, address, SLICE_NONE, stop, test);
	return test->accepted ? store_resume_mail(store, MAIL_CHANNEL) : RESULT_OK;
}

enum result
job_send_sample(const struct job_tools *tools, struct store *store, struct pool *pool, const struct sample_mail *sample,
    const atomic_bool *stop, struct mail_test *test)
{
	struct slice content, problem;
	if (!tools->has_mail)
		return RESULT_REFUSED;
	const enum result result = tools->compose_sample(tools->context, store, pool, sample, &content, &problem);
	if (result == RESULT_REFUSED)
		*test = (struct mail_test){ .reason = SLICE("not_composed"), .error = problem };
	else if (result == RESULT_OK)
		tools->send_mail(tools->context, pool, sample->address, content, stop, test);
	return result == RESULT_REFUSED ? RESULT_OK : result;
}

#define PLACE(member) offsetof(struct mail_test, member)

const struct job_field *
job_mail_test_fields(size_t *count)
{
	static const struct job_field fields[] = {
		{ "ok", JOB_FIELD_BOOLEAN, PLACE(accepted) },
		{ "status", JOB_FIELD_ID, PLACE(status) },
		{ "answer", JOB_FIELD_TEXT, PLACE(answer) },
		{ "reason", JOB_FIELD_TEXT, PLACE(reason) },
		{ "error", JOB_FIELD_TEXT, PLACE(error) },
		{ "hint", JOB_FIELD_TEXT, PLACE(hint) },
		{ "duration_ms", JOB_FIELD_NUMBER, PLACE(duration_ms) },
	};
	*count = ARRAY_SIZE(fields);
	return fields;
}
