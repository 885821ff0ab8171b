/* SPDX-License-Identifier: MIT
 * The main thread uses the database and composes; other threads send (smtp_threads.h). */
#include "deliver/mail/mailer.h"

#include <string.h>

#include "deliver/mail/mail_judge.h"
#include "deliver/mail/mail_preparation.h"
#include "deliver/outbox/send_plan.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"

enum { POLL_MS = 1000 };

struct mailer {
	struct mail_preparation with;
	struct smtp_threads *threads;
	struct log_throttle refusals_log;
};

/* ---- after a transfer: what happens to the mail, and to all others (docs/mail.md 5) ---- */

/* Replaces all but printable ASCII, as in struct smtp_result. */
static struct slice
printable(struct pool *pool, const char *text)
{
	const struct slice all = slice_of(text);
	char *bytes = pool_string(pool, all);
	for (size_t i = 0; i < all.size; i++)
		bytes[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
	return (struct slice){ bytes, all.size };
}

/* The answer or the error, without the recipient's address: it is stored longer than personal data. */
static struct slice
without_recipient(const struct leased_mail *mail)
{
	const struct smtp_result *result = &mail->job.result;
	const struct slice recipient = printable(mail->message->pool, mail->job.mail.recipient);
	const struct slice answer = slice_of(*result->answer == '\0' ? result->error : result->answer);
	struct slice shown = SLICE("");
	size_t begin = 0;
	for (size_t i = 0; recipient.size > 0 && i + recipient.size <= answer.size;)
		if (slice_equal_nocase(slice_sub(answer, i, i + recipient.size), recipient)) {
			shown = POOL_JOIN(mail->message->pool, shown, slice_sub(answer, begin, i), SLICE("(recipient)"));
			begin = i += recipient.size;
		} else {
			i++;
		}
	return POOL_JOIN(mail->message->pool, shown, slice_sub(answer, begin, answer.size));
}

static void
hold(struct mailer *m, const struct leased_mail *mail, const struct mail_judgement *judgement)
{
	const struct smtp_result *result = &mail->job.result;
	const struct outbox_failure failure = { .about = judgement->tried ? OUTBOX_ONE : OUTBOX_SERVER,
		.reason = judgement->reason,
		.status = result->status,
		.error = result->error,
		.hint = message_hint(slice_of(judgement->reason)),
		.answer = without_recipient(mail) };
	outbox_hold(m->with.outbox, mail->message, &failure);
}

static void
log_failure(const struct leased_mail *mail, const char *reason)
{
	const struct queued_mail *queued = &mail->message->queued;
	log_warning("mail_failed", LOG_UINT("message", queued->id), LOG_UINT("campaign", queued->campaign_id),
	    LOG_BYTES("kind", message_kind_name(queued->kind)), LOG_STR("reason", reason),
	    LOG_UINT("status", mail->job.result.status), LOG_STR("code", mail->job.result.enhanced),
	    LOG_UINT("attempts", queued->attempts + 1));
}

/* Ends the mail without counting an attempt: the result is not about this mail. */
static void
end_untried(struct leased_mail *mail, const char *reason)
{
	const struct smtp_result *result = &mail->job.result;
	struct mail_outcome *outcome = &mail->message->outcome;
	outbox_end(mail->message, MESSAGE_READY, 0, slice_of(reason));
	outcome->status = result->status;
	outcome->answer = slice_of(*result->answer == '\0' ? result->error : result->answer);
	if (outcome->answer.size == 0)
		outcome->answer = SLICE_NONE;
}

/* Ends the mail after an attempt. */
static void
end(struct leased_mail *mail, enum message_state state, int64_t delay_ms, const char *reason)
{
	struct mail_outcome *outcome = &mail->message->outcome;
	end_untried(mail, reason);
	outcome->state = state;
	outcome->delay_ms = delay_ms;
	outcome->attempted = true;
	outcome->account_id = mail->message->queued.account_id;
	outcome->campaign_id = mail->message->queued.campaign_id;
	if (state == MESSAGE_FAILED)
		log_failure(mail, reason);
}

/* Tries again, or gives up. A cause that holds all mail may end at any time, so in that case the mail is tried as often as the
 * server is probed. */
static void
retry_or_give_up(struct mailer *m, struct leased_mail *mail, const struct mail_judgement *judgement)
{
	const struct mailer_options *o = m->with.options;
	const int64_t give_up_ms = message_is_urgent(mail->message->queued.kind) ? o->give_up_urgent_ms : o->give_up_ms;
	const int64_t since_ms =
	    mail->message->queued.first_attempt_ms_ago < 0 ? 0 : mail->message->queued.first_attempt_ms_ago;
	const unsigned attempts = mail->message->queued.attempts + 1;
	uint64_t random;
	random_bytes(&random, sizeof(random));
	const int64_t delay_ms =
	    judgement->verdict == MAIL_HOLD ? send_hold_ms(attempts, random) : mail_retry_ms(o->schedule, attempts, random);
	if (since_ms + delay_ms > give_up_ms)
		end(mail, MESSAGE_FAILED, 0, "gave_up");
	else
		end(mail, MESSAGE_READY, delay_ms, judgement->reason);
}

static void
count_refusal(const char *reason)
{
#define REASON(id, name) name,
	static const char *const counted[METRIC_MAIL_REFUSAL_COUNT] = { METRIC_MAIL_REFUSALS(REASON) };
#undef REASON
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		if (strcmp(counted[i], reason) == 0)
			metrics_add(METRIC_REFUSED_MAILS, i, 1);
}

/* Logs and stores what an operator should see. Shows when a hold is not about a single mail. */
static void
note_refusal(struct mailer *m, const struct leased_mail *mail, const struct mail_judgement *judgement)
{
	const struct slice reason = slice_of(judgement->reason);
	const char *hint = message_hint(reason);
	uint64_t suppressed;
	if (hint == NULL)
		return;
	count_refusal(judgement->reason);
	if (judgement->verdict == MAIL_HOLD && !judgement->tried)
		return;
	if (log_throttle_passes(&m->refusals_log, &suppressed))
		log_warning("mail_refused", LOG_BYTES("reason", reason), LOG_UINT("status", mail->job.result.status),
		    LOG_STR("code", mail->job.result.enhanced), LOG_UINT("message", mail->message->queued.id),
		    LOG_UINT("suppressed", suppressed), LOG_STR("hint", hint));
	if (!outbox_note_result(
		m->with.outbox, store_note_refusal(m->with.store, MAIL_CHANNEL, reason, without_recipient(mail))))
		log_debug("refusal_not_recorded", LOG_UINT("message", mail->message->queued.id));
}

static void
take_result(struct mailer *m, struct leased_mail *mail)
{
	const struct mail_judgement judgement = mail_judge(&mail->job.result);
	switch (judgement.verdict) {
	case MAIL_SENT:
		end(mail, MESSAGE_SENT, 0, NULL);
		break;
	case MAIL_RETRY:
		retry_or_give_up(m, mail, &judgement);
		note_refusal(m, mail, &judgement);
		break;
	case MAIL_FAIL:
		end(mail, MESSAGE_FAILED, 0, judgement.reason);
		if (judgement.bounced)
			mail->message->bounced = mail->email_key;
		break;
	case MAIL_HOLD:
		if (judgement.tried)
			retry_or_give_up(m, mail, &judgement);
		else
			end_untried(mail, judgement.reason);
		hold(m, mail, &judgement);
		note_refusal(m, mail, &judgement);
		return;
	case MAIL_RETURN:
		end_untried(mail, judgement.reason);
		return;
	}
	outbox_resume(m->with.outbox);
}

/* ---- the process ---- */

static enum result
prepare(void *context, struct outbox_message *message)
{
	const struct mailer *m = context;
	struct leased_mail *mail = POOL_NEW(message->pool, struct leased_mail);
	mail->message = message;
	message->own = mail;
	return mail_prepare(&m->with, mail);
}

static void
send_mail(void *context, struct outbox_message *message)
{
	const struct mailer *m = context;
	struct leased_mail *mail = message->own;
	smtp_threads_send(m->threads, &mail->job);
}

static void
abandon(void *context, struct outbox_message *message UNUSED)
{
	const struct mailer *m = context;
	smtp_threads_stop(m->threads);
}

/* An smtp_job_done: the mail was sent, or could not be. */
static void
mail_ended(void *context, struct smtp_job *job)
{
	struct leased_mail *mail = (struct leased_mail *)(void *)job;
	log_work(LOG_UINT("message", mail->message->queued.id));
	take_result(context, mail);
	log_work_done();
}

enum result
mailer_run(struct store *store, const struct mailer_options *options)
{
	struct mailer m = { .with = { .store = store, .options = options } };
	const struct outbox_sender sender = { .channel = MAIL_CHANNEL,
		.parallel = options->connections,
		.capacity = 2 * options->connections,
		.poll_ms = POLL_MS,
		.time_max_ms = SMTP_TIME_MAX_MS,
		.context = &m,
		.prepare = prepare,
		.send = send_mail,
		.abandon = abandon };
	struct event_loop *loop = event_loop_new();
	m.threads = smtp_threads_new(loop, &options->server, options->connections, mail_ended, &m);
	if (m.threads == NULL) {
		event_loop_free(&loop);
		return RESULT_UNAVAILABLE;
	}
	m.with.outbox = outbox_new(loop, store, &options->outbox, &sender);
	if (outbox_run(m.with.outbox) > 0) /* threads still use the messages */
		return RESULT_OK;
	smtp_threads_free(&m.threads);
	outbox_free(&m.with.outbox);
	event_loop_free(&loop);
	return RESULT_OK;
}
