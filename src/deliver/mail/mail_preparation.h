/* SPDX-License-Identifier: MIT
 * Decides whether a mail may be sent, composes it, and counts it for the limits of its address (docs/mail.md 6). */
#pragma once

#include "deliver/mail/mailer.h"
#include "deliver/mail/smtp_threads.h"

/* What the mailer stores with a message (outbox_message.own). */
struct leased_mail {
	struct smtp_job job; /* first: threads return its address */
	struct outbox_message *message;
	struct slice email_key; /* email_key of the recipient */
};

struct mail_preparation {
	struct store *store;
	struct outbox *outbox;
	const struct mailer_options *options;
};
/* Implements outbox_sender.prepare. */
MUST_CHECK enum result mail_prepare(const struct mail_preparation *preparation, struct leased_mail *mail);
