/* SPDX-License-Identifier: MIT
 * A mail as it is sent (docs/mail.md 2): built once, stored and sent unchanged. The result depends only on the arguments. */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "mail/mailbox.h"

struct message_parts {
	struct mailbox from;
	struct mailbox reply_to; /* without an address: no header */
	struct slice to;         /* a lead's email address */
	struct slice subject;    /* one line; longer ones are cut to MESSAGE_SUBJECT_MAX_CHARACTERS */
	struct slice text, html; /* lines end with LF; if html is absent, the message has only the text */
	struct slice id;         /* the part of Message-ID before the @: letters, digits, and . _ - between them */
	int64_t time_ms;         /* Date; since 1970 */
	/* For list mail: List-Unsubscribe, and for https List-Unsubscribe-Post; otherwise absent. */
	struct slice unsubscribe_url;
};

enum { MESSAGE_SUBJECT_MAX_CHARACTERS = 200, MESSAGE_ID_MAX_BYTES = 64, MESSAGE_MAX_BYTES = 1024 * 1024 };

struct mail_message {
	struct slice recipient; /* the address of the envelope */
	struct slice bytes;     /* CR LF line ends, lines of at most 998 bytes; 7 bit, except addresses with smtputf8 */
	bool smtputf8;          /* an address is not ASCII: the server must offer SMTPUTF8 (RFC 6531) */
};

/* Builds the message in the pool. Returns false, with what is wrong in *problem, for people and without the address, when a
 * part is not valid or the message is too large. */
MUST_CHECK bool message_build(
    struct pool *pool, const struct message_parts *parts, struct mail_message *message, struct slice *problem);
