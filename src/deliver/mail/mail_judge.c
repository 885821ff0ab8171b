/* SPDX-License-Identifier: MIT */
#include "deliver/mail/mail_judge.h"

#include <string.h>

#include "base/slice.h"
#include "deliver/mail/smtp_answer.h"
#include "engine/message.h"

/* What to do after an answer to RCPT, to DATA or to the mail itself, depending on the subject of the answer. */
static const struct {
	const char *reason;
	enum mail_verdict verdict;
} outcomes[ANSWER_SUBJECTS] = {
	[ABOUT_NOTHING] = { "refused", MAIL_RETRY },
	[ABOUT_PERSON] = { "no_such_person", MAIL_FAIL },
	[ABOUT_TIME] = { "refused_for_now", MAIL_RETRY },
	[ABOUT_FULL_MAILBOX] = { "mailbox_full", MAIL_RETRY },
	[ABOUT_SIZE] = { "too_large", MAIL_FAIL },
	[ABOUT_CONTENT] = { "content_refused", MAIL_FAIL },
	[ABOUT_POLICY] = { "policy", MAIL_RETRY },
	[ABOUT_PROOF] = { "not_authenticated", MAIL_RETRY },
	[ABOUT_PACE] = { "too_fast", MAIL_RETRY },
	[ABOUT_SUPPRESSION] = { "suppressed", MAIL_RETRY },
	[ABOUT_TLS] = { "tls_failed", MAIL_HOLD },
	[ABOUT_LOGIN] = { "login_refused", MAIL_HOLD },
	[ABOUT_HELLO] = { "helo_refused", MAIL_HOLD },
	[ABOUT_RELAYING] = { "relaying_refused", MAIL_HOLD },
	[ABOUT_SENDER] = { "sender_refused", MAIL_HOLD },
	[ABOUT_ACCOUNT] = { "account_refused", MAIL_HOLD },
	[ABOUT_QUOTA] = { "quota_reached", MAIL_HOLD },
};

/* ---- verdicts ---- */

static struct mail_judgement
judgement(enum mail_verdict verdict, const char *reason)
{
	return (struct mail_judgement){ .verdict = verdict, .reason = reason };
}

/* For answers before a recipient was named: every mail would get the same answer. */
static struct mail_judgement
judge_session(const struct smtp_result *result, enum answer_subject about)
{
	if (about == ABOUT_SIZE && result->stage == SMTP_SENDER && result->status >= 500)
		return judgement(MAIL_FAIL, outcomes[about].reason);
	if (about != ABOUT_NOTHING && message_hint(slice_of(outcomes[about].reason)) != NULL)
		return judgement(MAIL_HOLD, outcomes[about].reason);
	if (result->stage == SMTP_CONNECTING)
		return judgement(MAIL_HOLD, "greeting_refused");
	return judgement(MAIL_HOLD, result->status < 500 ? "no_service" : "sender_refused");
}

static struct mail_judgement
judge_refusal(const struct smtp_result *result)
{
	enum answer_subject about = answer_subject(result);
	if (result->stage <= SMTP_SENDER)
		return judge_session(result, about);
	if (result->status < 500 && (about == ABOUT_NOTHING || outcomes[about].verdict == MAIL_FAIL))
		about = ABOUT_TIME;
	struct mail_judgement made = judgement(outcomes[about].verdict, outcomes[about].reason);
	made.bounced = about == ABOUT_PERSON;
	made.tried = true;
	return made;
}

struct mail_judgement
mail_judge(const struct smtp_result *result)
{
	switch (result->end) {
	case SMTP_ACCEPTED:
		return judgement(MAIL_SENT, NULL);
	case SMTP_REFUSED:
		return judge_refusal(result);
	case SMTP_LOST:
		return result->stage == SMTP_CONNECTING ? judgement(MAIL_HOLD, "cannot_connect")
							: judgement(MAIL_RETRY, "connection_lost");
	case SMTP_BAD_TLS:
		return judgement(MAIL_HOLD, outcomes[ABOUT_TLS].reason);
	case SMTP_BAD_LOGIN:
		return judgement(MAIL_HOLD, outcomes[ABOUT_LOGIN].reason);
	case SMTP_NO_UTF8:
		return judgement(MAIL_FAIL, "no_smtputf8");
	case SMTP_BAD_ADDRESS:
		return judgement(MAIL_FAIL, "bad_address");
	case SMTP_ABANDONED:
		break;
	}
	/* the server may already have the mail if all of it was sent */
	return result->stage == SMTP_END ? judgement(MAIL_RETRY, "connection_lost") : judgement(MAIL_RETURN, "stopped");
}

/* ---- times ---- */

int64_t
mail_retry_ms(const struct retry_schedule *schedule, unsigned attempts, uint64_t random)
{
	const unsigned place = attempts == 0 ? 0 : attempts - 1;
	return retry_jitter_ms(schedule->delays_ms[place < schedule->count ? place : schedule->count - 1], random);
}

/* ---- content ---- */

bool
mail_content_is_clean(struct slice content)
{
	enum { LINE_MAX_BYTES = 998 };
	size_t line = 0;
	for (size_t i = 0; i < content.size; i++) {
		const char c = content.data[i];
		if (c == '\r' && i + 1 < content.size && content.data[i + 1] == '\n') {
			line = 0;
			i++;
			continue;
		}
		if (c == '\r' || c == '\n' || c == '\0' || ++line > LINE_MAX_BYTES)
			return false;
	}
	return content.size > 0 && line == 0;
}
