/* SPDX-License-Identifier: MIT
 * The settings for sending tests. */
#pragma once

#include "compose/compose.h"
#include "deliver/mail/smtp.h"
#include "deliver/send/sender.h"

/* Only one thread at a time may use them, and only after sender_prepare_process. Responders have no such settings: they queue a
 * job for a process that can send. */
struct job_settings {
	struct sender_options sender;
	bool has_mail;                  /* a mail server is configured: … */
	struct smtp_server mail_server; /* … this one */
	struct mail_senders mail_senders;
	struct slice form_urls; /* dispatch.form_urls */
};
