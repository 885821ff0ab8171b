/* SPDX-License-Identifier: MIT
 * What a refusal of the mail server is about (docs/mail.md 5.1). Pure. */
#pragma once

#include "deliver/mail/smtp.h"

enum answer_subject {
	ABOUT_NOTHING, /* the answer gives no reason */
	ABOUT_PERSON,  /* the person does not exist: only if that is beyond doubt, because it is held against the person */
	/* the recipient's server, for the time being: */
	ABOUT_TIME,
	ABOUT_FULL_MAILBOX,
	/* the mail: */
	ABOUT_SIZE,
	ABOUT_CONTENT,
	/* the recipient's server does not accept the sender: */
	ABOUT_POLICY,
	ABOUT_PROOF, /* SPF, DKIM, DMARC */
	ABOUT_PACE,
	ABOUT_SUPPRESSION, /* a list of addresses to which the mail server's provider does not send */
	/* our own mail server does not accept the sender: */
	ABOUT_TLS,
	ABOUT_LOGIN,
	ABOUT_HELLO,
	ABOUT_RELAYING,
	ABOUT_SENDER,
	ABOUT_ACCOUNT, /* the account at the provider is not verified, in a sandbox, or suspended */
	ABOUT_QUOTA,
	ANSWER_SUBJECTS
};

/* The subject of an answer with a status of 400 or more. */
enum answer_subject answer_subject(const struct smtp_result *result);
