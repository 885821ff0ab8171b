/* SPDX-License-Identifier: MIT
 * After a transfer: what becomes of the mail, and of all others (docs/mail.md 5). */
#include <string.h>

#include "deliver/mail/mailer_private.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "os/random.h"
#include "store/store.h"

/* As answers have it (smtp.h). */
static struct slice
printable(struct pool *pool, const char *text)
{
	const struct slice all = slice_of(text);
	char *bytes = pool_string(pool, all);
	for (size_t i = 0; i < all.size; i++)
		bytes[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
	return (struct slice){ bytes, all.size };
}

/* The answer, or what went wrong, as it is stored for all mail: longer than the data of a person. */
static struct slice
without_recipient(const struct mail_job *job)
{
	const struct smtp_result *result = &job->line.result;
	const struct slice recipient = printable(job->pool, job->line.mail.recipient);
	const struct slice answer = slice_of(*result->answer == '\0' ? result->error : result->answer);
	struct slice shown = SLICE("");
	size_t begin = 0;
	for (size_t i = 0; recipient.size > 0 && i + recipient.size <= answer.size;)
		if (slice_equal_nocase(slice_sub(answer, i, i + recipient.size), recipient)) {
			shown = POOL_JOIN(job->pool, shown, slice_sub(answer, begin, i), SLICE("(recipient)"));
			begin = i += recipient.size;
		} else {
			i++;
		}
	return POOL_JOIN(job->pool, shown, slice_sub(answer, begin, answer.size));
}

/* Holds all mail, unless the transfer began before the last hold did. What the server says again and again to one mail, it may
 * say to that one alone: then the others wait no longer than before. */
static void
hold(struct mailer *m, const struct mail_job *job, const struct mail_judgement *judgement)
{
	const struct smtp_result *result = &job->line.result;
	uint64_t random;
	if (job->started_ms < m->held_at_ms)
		return;
	random_bytes(&random, sizeof(random));
	m->failures += m->failures > 0 && judgement->tried && m->held_by == job->mail.id ? 0 : 1;
	m->held_by = job->mail.id;
	const int64_t hold_ms = mail_hold_ms(m->failures, random);
	const char *hint = message_hint(slice_of(judgement->reason));
	m->held_at_ms = clock_monotonic_ms();
	m->next_poll_ms = m->held_at_ms + hold_ms;
	/* an answer to MAIL FROM may have an address */
	log_warning("mail_held", LOG_STR("reason", judgement->reason), LOG_UINT("status", result->status),
	    LOG_STR("error", result->error), LOG_INT("seconds", hold_ms / 1000), LOG_UINT("failures", m->failures),
	    LOG_STR("hint", hint == NULL ? "" : hint));
	const enum result held =
	    store_hold_mail(m->store, MAIL_CHANNEL, m->failures, hold_ms, slice_of(judgement->reason), without_recipient(job));
	if (mailer_lost_database(m, held))
		log_debug("hold_not_recorded", LOG_UINT("failures", m->failures));
	else if (hold_ms > MAILER_POLL_MS) /* the operator may end it */
		m->next_poll_ms = m->held_at_ms + MAILER_POLL_MS;
	mailer_release_waiting(m);
}

static void
resume(struct mailer *m)
{
	if (m->failures == 0)
		return;
	if (mailer_lost_database(m, store_resume_mail(m->store, MAIL_CHANNEL)))
		return;
	log_info("mail_resumed", LOG_UINT("failures", m->failures));
	m->failures = 0;
	m->next_poll_ms = 0;
}

static void
end_with_result(struct mail_job *job, enum message_state state, int64_t delay_ms, bool attempted, const char *reason)
{
	const struct smtp_result *result = &job->line.result;
	mailer_end_job(job, state, delay_ms, slice_of(reason));
	job->outcome.attempted = attempted;
	job->outcome.status = result->status;
	job->outcome.answer = slice_of(*result->answer == '\0' ? result->error : result->answer);
	if (!slice_present(job->outcome.answer) || job->outcome.answer.size == 0)
		job->outcome.answer = SLICE_NONE;
	if (state == MESSAGE_FAILED)
		log_warning("mail_failed", LOG_UINT("message", job->mail.id), LOG_UINT("campaign", job->mail.campaign_id),
		    LOG_BYTES("kind", message_kind_name(job->mail.kind)), LOG_STR("reason", reason),
		    LOG_UINT("status", result->status), LOG_STR("code", result->enhanced),
		    LOG_UINT("attempts", job->mail.attempts + (attempted ? 1 : 0)));
}

/* Tried again, or given up. What holds all mail may end at any time: it is then tried as often as the server is probed. */
static void
retry(struct mailer *m, struct mail_job *job, const struct mail_judgement *judgement)
{
	const struct mailer_options *o = m->options;
	const int64_t give_up_ms = message_is_urgent(job->mail.kind) ? o->give_up_urgent_ms : o->give_up_ms;
	const int64_t since_ms = job->mail.first_attempt_ms_ago < 0 ? 0 : job->mail.first_attempt_ms_ago;
	const unsigned attempts = job->mail.attempts + 1;
	uint64_t random;
	random_bytes(&random, sizeof(random));
	const int64_t delay_ms =
	    judgement->verdict == MAIL_HOLD ? mail_hold_ms(attempts, random) : mail_retry_ms(o->schedule, attempts, random);
	if (since_ms + delay_ms > give_up_ms)
		end_with_result(job, MESSAGE_FAILED, 0, true, "gave_up");
	else
		end_with_result(job, MESSAGE_READY, delay_ms, true, judgement->reason);
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

/* What an operator should see. A hold that is not about a mail is seen as such. */
static void
note_refusal(struct mailer *m, const struct mail_job *job, const struct mail_judgement *judgement)
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
		log_warning("mail_refused", LOG_BYTES("reason", reason), LOG_UINT("status", job->line.result.status),
		    LOG_STR("code", job->line.result.enhanced), LOG_UINT("message", job->mail.id),
		    LOG_UINT("suppressed", suppressed), LOG_STR("hint", hint));
	if (mailer_lost_database(m, store_note_refusal(m->store, MAIL_CHANNEL, reason, without_recipient(job))))
		log_debug("refusal_not_recorded", LOG_UINT("message", job->mail.id));
}

void
mailer_judge(struct mailer *m, struct mail_job *job)
{
	const struct mail_judgement judgement = mail_judge(&job->line.result);
	switch (judgement.verdict) {
	case MAIL_SENT:
		end_with_result(job, MESSAGE_SENT, 0, true, NULL);
		break;
	case MAIL_RETRY:
		retry(m, job, &judgement);
		note_refusal(m, job, &judgement);
		break;
	case MAIL_FAIL:
		end_with_result(job, MESSAGE_FAILED, 0, true, judgement.reason);
		job->bounced = judgement.bounced;
		break;
	case MAIL_HOLD:
		if (judgement.tried)
			retry(m, job, &judgement);
		else
			end_with_result(job, MESSAGE_READY, 0, false, judgement.reason);
		hold(m, job, &judgement);
		note_refusal(m, job, &judgement);
		return;
	case MAIL_RETURN:
		end_with_result(job, MESSAGE_READY, 0, false, judgement.reason);
		return;
	}
	resume(m);
}
