/* SPDX-License-Identifier: MIT
 * What a refusal of the mail server is about (docs/mail.md 5.1). Pure. */
#pragma once

#include "deliver/mail/smtp.h"

enum answer_subject {
	ABOUT_NOTHING, /* it does not say */
	ABOUT_PERSON,  /* there is no such person: without doubt, because it is held against them */
	/* the recipient's server, this once */
	ABOUT_TIME,
	ABOUT_FULL_MAILBOX,
	/* the mail */
	ABOUT_SIZE,
	ABOUT_CONTENT,
	/* the sender, for the recipient's server */
	ABOUT_POLICY,
	ABOUT_PROOF, /* SPF, DKIM, DMARC */
	ABOUT_PACE,
	ABOUT_SUPPRESSION, /* a list of addresses that the mail server's provider does not send to */
	/* the sender, for the own mail server */
	ABOUT_TLS,
	ABOUT_LOGIN,
	ABOUT_HELLO,
	ABOUT_RELAYING,
	ABOUT_SENDER,
	ABOUT_ACCOUNT, /* at the provider: not verified, in a sandbox, suspended */
	ABOUT_QUOTA,
	ANSWER_SUBJECTS
};

/* The subject of an answer with a status of 400 or more. */
enum answer_subject answer_subject(const struct smtp_result *result);
