/* SPDX-License-Identifier: MIT
 * Sends mail (docs/mail.md), as the main function of a process of its own: a mail server that hangs, or a crash, does not
 * affect the dispatcher.
 *
 * When the process is killed, at most `connections` mails are sent twice, with the same Message-ID, and none is lost. */
#pragma once

#include "compose/compose.h"
#include "deliver/mail/smtp.h"
#include "deliver/outbox/outbox.h"
#include "webhook/retry.h"

struct mailer_options {
	struct outbox_options outbox;
	struct smtp_server server;
	size_t connections;
	const struct mail_senders *senders;
	const struct retry_schedule *schedule;
	int64_t give_up_urgent_ms, give_up_ms; /* after the first attempt */
};

/* RESULT_OK, or RESULT_UNAVAILABLE when threads or connections cannot be created. If a transfer does not end in time, its
 * thread keeps running: the process must then end at once (_exit). */
MUST_CHECK enum result mailer_run(struct store *store, const struct mailer_options *options);
