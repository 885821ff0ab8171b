/* SPDX-License-Identifier: MIT
 * The settings that tests are sent with. */
#pragma once

#include "compose/compose.h"
#include "deliver/mail/smtp.h"
#include "deliver/send/sender.h"

/* One thread may use them at a time, after sender_prepare_process. Responders have none: what sends is a job for them. */
struct job_settings {
	struct sender_options sender;
	bool has_mail;                  /* a mail server is configured */
	struct smtp_server mail_server; /* if so */
	struct mail_senders mail_senders;
	struct slice form_urls; /* dispatch.form_urls */
};
