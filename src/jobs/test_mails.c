/* SPDX-License-Identifier: MIT */
#include "jobs/test_mails.h"

#include <inttypes.h>
#include <stddef.h>

#include "compose/mail_preview.h"
#include "deliver/mail/mail_judge.h"
#include "jobs/job_fields.h"
#include "mail/mime_message.h"
#include "os/clock.h"
#include "os/random.h"
#include "store/messages/mail_outcomes.h"

static void
send_mail(const struct job_settings *settings, struct pool *pool, const struct smtp_mail *mail, const atomic_bool *stop,
    struct mail_test *test)
{
	struct smtp_result *result = POOL_NEW(pool, struct smtp_result);
	const int64_t begun_ms = clock_monotonic_ms();
	struct smtp_connection *connection = smtp_new(&settings->mail_server, stop);
	smtp_send(connection, mail, result);
	smtp_free(&connection);
	const struct mail_judgement judgement = mail_judge(result);
	*test = (struct mail_test){ .accepted = judgement.verdict == MAIL_SENT,
		.status = (uint64_t)result->status,
		.answer = *result->answer == '\0' ? SLICE_NONE : slice_of(result->answer),
		.reason = slice_of(judgement.reason),
		.error = *result->error == '\0' ? SLICE_NONE : slice_of(result->error),
		.hint = judgement.reason == NULL ? SLICE_NONE : slice_of(message_hint(slice_of(judgement.reason))),
		.duration_ms = (uint64_t)(clock_monotonic_ms() - begun_ms) };
}

/* That a mail cannot be composed is a result of the test, not a failure. */
static enum result
fail_to_compose(struct slice problem, struct mail_test *test)
{
	*test = (struct mail_test){ .reason = SLICE("not_composed"), .error = problem };
	return RESULT_OK;
}

enum result
job_test_mail(const struct job_settings *settings, struct store *store, struct pool *pool, struct slice address,
    const atomic_bool *stop, struct mail_test *test)
{
	uint64_t number;
	struct mail_message message;
	struct slice problem;
	if (!settings->has_mail)
		return RESULT_REFUSED;
	random_bytes(&number, sizeof(number));
	const struct message_parts parts = { .from = settings->mail_senders.from,
		.to = address,
		.subject = SLICE("Test of Leadhook"),
		.text = SLICE("The settings of leadhook.conf for mail work.\n"),
		.id = pool_printf(pool, "test.%016" PRIx64, number),
		.time_ms = clock_wall_ms() };
	if (!message_build(pool, &parts, &message, &problem))
		return fail_to_compose(problem, test);
	const struct smtp_mail mail = { pool_string(pool, message.recipient), message.smtputf8, message.bytes };
	send_mail(settings, pool, &mail, stop, test);
	return test->accepted ? store_resume_mail(store, MAIL_CHANNEL) : RESULT_OK;
}

enum result
job_send_sample(const struct job_settings *settings, struct store *store, struct pool *pool, const struct sample_mail *sample,
    const atomic_bool *stop, struct mail_test *test)
{
	enum text_language language = TEXT_LANGUAGE_DEFAULT;
	const bool has_language = slice_present(sample->language) && text_language_parse(sample->language, &language);
	const struct preview_request request = { .campaign_id = sample->campaign_id,
		.kind = sample->kind,
		.language = has_language ? &language : NULL,
		.to = sample->address };
	struct preview preview;
	if (!settings->has_mail)
		return RESULT_REFUSED;
	const enum result result = mail_preview(&settings->mail_senders, store, pool, &request, &preview);
	if (result == RESULT_REFUSED)
		return fail_to_compose(preview.problem, test);
	if (result != RESULT_OK)
		return result;
	const struct smtp_mail mail = { pool_string(pool, sample->address), !slice_is_ascii(preview.message), preview.message };
	send_mail(settings, pool, &mail, stop, test);
	return RESULT_OK;
}

#define PLACE(member) offsetof(struct mail_test, member)
const struct job_field mail_test_fields[] = {
	{ "ok", JOB_FIELD_BOOLEAN, PLACE(accepted) },
	{ "status", JOB_FIELD_ID, PLACE(status) },
	{ "answer", JOB_FIELD_TEXT, PLACE(answer) },
	{ "reason", JOB_FIELD_TEXT, PLACE(reason) },
	{ "error", JOB_FIELD_TEXT, PLACE(error) },
	{ "hint", JOB_FIELD_TEXT, PLACE(hint) },
	{ "duration_ms", JOB_FIELD_NUMBER, PLACE(duration_ms) },
	{ .name = NULL },
};
