/* SPDX-License-Identifier: MIT
 * Decides what becomes of a mail from the server's answer (docs/mail.md 5). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "deliver/mail/smtp.h"
#include "webhook/retry.h"

enum mail_verdict {
	MAIL_SENT,
	MAIL_RETRY,  /* tried again later */
	MAIL_FAIL,   /* never tried again */
	MAIL_HOLD,   /* neither the mail nor the recipient is at fault: all mail waits */
	MAIL_RETURN, /* nothing was tried: due again */
};

struct mail_judgement {
	enum mail_verdict verdict;
	bool bounced;       /* the recipient does not exist */
	bool tried;         /* a hold after the recipient was named counts as an attempt: it may be about this mail only */
	const char *reason; /* a word for the log and the operator; NULL: sent */
};
struct mail_judgement mail_judge(const struct smtp_result *result);

/* The wait before the next attempt, after `attempts` of them; the last delay of the schedule repeats. `random`: any bits, for
 * the jitter. */
int64_t mail_retry_ms(const struct retry_schedule *schedule, unsigned attempts, uint64_t random);

/* Whether the bytes can be sent: CRLF at the end of every line, and no CR, LF or NUL elsewhere; lines of at most 998 bytes (RFC
 * 5321). Bytes above 127 need SMTPUTF8. */
MUST_CHECK bool mail_content_is_clean(struct slice content);
