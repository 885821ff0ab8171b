/* SPDX-License-Identifier: MIT */
#include "prog/job_tools.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "compose/preview.h"
#include "deliver/mail/judge.h"
#include "deliver/mail/smtp.h"
#include "deliver/send/request.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/random.h"

/* The options, without the wiring's pool: another thread uses them. */
struct job_options {
	struct sender_options sender;
	struct mailer_options mailer; /* without a mail server: undefined */
	const struct mail_senders *senders;
};

/* An attempt that is under way. */
struct pending_attempt {
	struct pool *pool;
	struct job_attempt *attempt;
	bool done;
};

static void
on_done(void *context, void *cookie UNUSED, const struct attempt_result *result)
{
	struct pending_attempt *pending = context;
	*pending->attempt = (struct job_attempt){
		.status = result->status,
		.error = sender_error_name(result->error),
		.answer = pool_copy(pending->pool, result->answer),
		.location = pool_copy(pending->pool, result->location),
		.duration_ms = result->duration_ms,
	};
	pending->done = true;
}

static bool
deliver(void *context, struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct job_attempt *made)
{
	const struct job_options *given = context;
	struct sender_options options = given->sender;
	struct pending_attempt pending = { .pool = pool, .attempt = made };
	struct attempt attempt = { 0 };
	options.in_flight = 1;
	if (!request_make(pool, delivery, now_ms, &attempt)) {
		*made = (struct job_attempt){ .error = sender_error_name(SENDER_INTERNAL) };
		return true;
	}
	struct event_loop *loop = event_loop_new();
	struct sender *sender = sender_new(loop, &options, on_done, &pending);
	if (sender != NULL)
		sender_start(sender, &attempt, NULL);
	while (sender != NULL && !pending.done)
		event_loop_wait(loop, clock_monotonic_ms() + options.timeout_ms);
	sender_free(&sender);
	event_loop_free(&loop);
	return pending.done;
}

/* ---- The test of the mail server ---- */

static struct slice
test_mail(struct pool *pool, const char *sender, struct slice address, int64_t now_ms)
{
	char date[64];
	const time_t seconds = now_ms / 1000;
	struct tm utc;
	uint64_t number;
	random_bytes(&number, sizeof(number));
	gmtime_r(&seconds, &utc);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S +0000", &utc);
	return pool_printf(pool,
	    "Date: %s\r\nFrom: <%s>\r\nTo: <%.*s>\r\nMessage-ID: <test.%016" PRIx64 "@%s>\r\n"
	    "Subject: Test of Leadhook\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=us-ascii\r\n"
	    "Auto-Submitted: auto-generated\r\n\r\nThe settings of leadhook.conf for mail work.\r\n",
	    date, sender, SLICE_ARGS(address), number, strchr(sender, '@') + 1);
}

static void
send_mail(void *context, struct pool *pool, struct slice address, struct slice content, const atomic_bool *stop,
    struct mail_test *mail)
{
	const struct job_options *given = context;
	const struct smtp_server *server = &given->mailer.server;
	if (!slice_present(content))
		content = test_mail(pool, server->sender, address, clock_wall_ms());
	const bool utf8 = !slice_is_ascii(content) || !slice_is_ascii(slice_of(server->sender));
	const struct smtp_mail sent = { pool_string(pool, address), utf8, content };
	struct smtp_result *result = POOL_NEW(pool, struct smtp_result);
	const int64_t begun_ms = clock_monotonic_ms();
	struct smtp_connection *connection = smtp_new(server, stop);
	smtp_send(connection, &sent, result);
	smtp_free(&connection);
	const struct mail_judgement judgement = mail_judge(result);
	*mail = (struct mail_test){ .accepted = judgement.verdict == MAIL_SENT,
		.status = (uint64_t)result->status,
		.answer = *result->answer == '\0' ? SLICE_NONE : slice_of(result->answer),
		.reason = slice_of(judgement.reason),
		.error = *result->error == '\0' ? SLICE_NONE : slice_of(result->error),
		.hint = judgement.reason == NULL ? SLICE_NONE : slice_of(message_hint(slice_of(judgement.reason))),
		.duration_ms = (uint64_t)(clock_monotonic_ms() - begun_ms) };
}

static enum result
compose_sample(void *context, struct store *store, struct pool *pool, const struct sample_mail *sample, struct slice *content,
    struct slice *problem)
{
	const struct job_options *given = context;
	enum text_language language = TEXT_LANGUAGE_DEFAULT;
	const bool has_language = slice_present(sample->language) && text_language_parse(sample->language, &language);
	const struct preview_request request = { .campaign_id = sample->campaign_id,
		.kind = sample->kind,
		.language = has_language ? &language : NULL,
		.to = sample->address };
	struct preview preview;
	const enum result result = mail_preview(given->senders, store, pool, &request, &preview);
	*content = preview.message;
	*problem = preview.problem;
	return result;
}

struct job_tools
job_tools_of(const struct wiring *wiring)
{
	struct job_options *options = POOL_NEW(wiring->pool, struct job_options);
	options->sender = wiring_sender(wiring);
	options->senders = &wiring->mail_senders;
	if (wiring_has_mail(wiring->conf))
		options->mailer = wiring_mailer(wiring);
	return (struct job_tools){
		.context = options,
		.deliver = deliver,
		.send_mail = send_mail,
		.compose_sample = compose_sample,
		.form_urls = slice_of(wiring->conf->dispatch.form_urls),
		.has_mail = wiring_has_mail(wiring->conf),
	};
}
