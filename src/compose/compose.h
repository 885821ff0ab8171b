/* SPDX-License-Identifier: MIT
 * Composes the mail for a request: recipient, Message-ID and bytes, which do not change afterwards. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"
#include "mail/mailbox.h"
#include "store/messages/mail_lease.h"

struct store;

/* All texts are in the pool of the call. */
struct composed_mail {
	struct slice drop;       /* why it must not be sent, a word of at most 32 ASCII characters; absent: it may be sent */
	struct slice recipient;  /* the lead's address, without a name */
	struct slice message_id; /* with its angle brackets, as in the header */
	struct slice content;    /* complete, with CRLF; at most MAIL_SIZE_MAX bytes */
	struct slice code; /* a code that was made for this mail and is shown in it; valid once it is stored; absent: none */
};
enum { MAIL_SIZE_MAX = 1024 * 1024 };

struct mail_senders {
	struct mailbox from, reply_to; /* reply_to without an address: none */
};

/* Composes the mail from the lead and its campaign as they are now. RESULT_OK: it is composed, or must be dropped.
 * RESULT_FAILED, logged: it cannot be composed, and must fail. Any other result is an error of the database: try again. */
MUST_CHECK enum result mail_compose_request(const struct mail_senders *senders, struct store *store, struct pool *pool,
    const struct queued_mail *request, struct composed_mail *mail);
