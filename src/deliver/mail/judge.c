/* SPDX-License-Identifier: MIT */
#include "deliver/mail/judge.h"

#include <string.h>

#include "base/slice.h"

/* Reasons of the server, which hold all mail. */
static const struct {
	const char *reason, *hint;
} holds[] = {
	{ "cannot_connect", "see whether mail.host and mail.port are right, and whether a firewall is in the way" },
	{ "greeting_refused", "the mail server refuses this host: its operator can say why" },
	{ "tls_failed",
	    "the server must offer TLS with a valid certificate for mail.host; mail.tls_ca names a private authority" },
	{ "login_refused", "see whether mail.user and mail.password are right, and whether the account may send" },
	{ "sender_refused", "the mail server does not let mail.user send as mail.from" },
};

const char *
mail_hint(const char *reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++)
		if (strcmp(holds[i].reason, reason) == 0)
			return holds[i].hint;
	return NULL;
}

/* ---- no such person ---- */

/* RFC 3463: bad mailbox, bad syntax of it, moved, recipient's domain takes no mail (RFC 7505), mailbox disabled. 5.7 and others
 * are policies. */
static const char *const no_person_codes[] = { "5.1.1", "5.1.3", "5.1.6", "5.1.10", "5.2.1" };
/* In answers without such a code. */
static const int no_person_statuses[] = { 550, 551, 553 };
static const char *const no_person_words[] = { "unknown", "no such", "not exist", "n't exist", "not found", "no mailbox",
	"mailbox unavailable", "invalid recipient", "invalid mailbox" };

static bool
has_word(const char *answer, const char *word)
{
	const size_t size = strlen(word);
	for (const char *place = answer; *place != '\0'; place++)
		if (slice_equal_nocase((struct slice){ place, strnlen(place, size) }, slice_of(word)))
			return true;
	return false;
}

static bool
says_no_person(const struct smtp_result *result)
{
	bool status = false, word = false;
	if (*result->enhanced != '\0') {
		for (size_t i = 0; i < ARRAY_SIZE(no_person_codes); i++)
			if (strcmp(result->enhanced, no_person_codes[i]) == 0)
				return true;
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_person_statuses); i++)
		status = status || result->status == no_person_statuses[i];
	for (size_t i = 0; i < ARRAY_SIZE(no_person_words); i++)
		word = word || has_word(result->answer, no_person_words[i]);
	return status && word;
}

/* ---- verdicts ---- */

static const struct mail_judgement sent = { .verdict = MAIL_SENT };
static const struct mail_judgement later = { MAIL_RETRY, false, "refused_for_now" };
static const struct mail_judgement lost = { MAIL_RETRY, false, "connection_lost" };

static struct mail_judgement
hold(const char *reason)
{
	return (struct mail_judgement){ MAIL_HOLD, false, reason };
}

static struct mail_judgement
fail(const char *reason)
{
	return (struct mail_judgement){ MAIL_FAIL, false, reason };
}

/* RFC 3463 5.3.4, 5.2.3: too large for the server or the mailbox. */
static bool
is_too_large(const struct smtp_result *result)
{
	return result->status == 552 || strcmp(result->enhanced, "5.3.4") == 0 || strcmp(result->enhanced, "5.2.3") == 0;
}

static struct mail_judgement
judge_refusal(const struct smtp_result *result)
{
	if (result->stage == SMTP_CONNECTING)
		return hold("greeting_refused");
	if (result->status < 500)
		return later;
	if (is_too_large(result))
		return fail("too_large");
	if (result->stage == SMTP_SENDER) /* the same for every mail */
		return hold("sender_refused");
	if (result->stage == SMTP_RECIPIENT && says_no_person(result))
		return (struct mail_judgement){ MAIL_FAIL, true, "no_such_person" };
	return fail("refused");
}

struct mail_judgement
mail_judge(const struct smtp_result *result)
{
	switch (result->end) {
	case SMTP_ACCEPTED:
		return sent;
	case SMTP_REFUSED:
		return judge_refusal(result);
	case SMTP_LOST:
		return result->stage == SMTP_CONNECTING ? hold("cannot_connect") : lost;
	case SMTP_BAD_TLS:
		return hold("tls_failed");
	case SMTP_BAD_LOGIN:
		return hold("login_refused");
	case SMTP_NO_UTF8:
		return fail("no_smtputf8");
	case SMTP_BAD_ADDRESS:
		return fail("bad_address");
	case SMTP_ABANDONED:
		break;
	}
	/* the server may have it already when all of it was sent */
	return result->stage == SMTP_END ? lost : (struct mail_judgement){ MAIL_RETURN, false, "stopped" };
}

/* ---- times ---- */

static int64_t
with_jitter(int64_t ms, uint64_t random)
{
	const int64_t range = ms * RETRY_JITTER_PERCENT / 100;
	return ms - range + (int64_t)(random % (uint64_t)(2 * range + 1));
}

int64_t
mail_retry_ms(const struct retry_schedule *schedule, unsigned attempts, uint64_t random)
{
	const unsigned place = attempts == 0 ? 0 : attempts - 1;
	return with_jitter(schedule->delays_ms[place < schedule->count ? place : schedule->count - 1], random);
}

int64_t
mail_hold_ms(unsigned failures, uint64_t random)
{
	enum { FIRST_MS = 5000, DOUBLED_MAX = 7, LONGEST_MS = 600000 };
	const unsigned doubled = failures < 1 ? 0 : failures - 1 < DOUBLED_MAX ? failures - 1 : DOUBLED_MAX;
	const int64_t ms = (int64_t)FIRST_MS << doubled;
	return with_jitter(ms < LONGEST_MS ? ms : LONGEST_MS, random);
}

/* ---- content ---- */

bool
mail_content_is_clean(struct slice content, bool utf8)
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
		if (c == '\r' || c == '\n' || c == '\0' || (!utf8 && (unsigned char)c >= 0x80) || ++line > LINE_MAX_BYTES)
			return false;
	}
	return content.size > 0 && line == 0;
}
