/* SPDX-License-Identifier: MIT
 * Links of mails to leads, and the buttons of their pages (docs/api.md 4.1.5, 4.1.12, 4.1.13). */
#pragma once

#include "api/call/api_call.h"
#include "engine/message.h"
#include "identity/address_token.h"
#include "text/text.h"

/* What a valid link is about. */
struct mail_link {
	const struct payload_settings *settings;
	struct lead lead;
};

/* Reads the link of the path. All links that are not valid have the same answer, whether there is such a campaign or not.
 * False: the call has failed. */
MUST_CHECK bool call_read_mail_link(struct call *call, enum address_purpose purpose, struct mail_link *link);
/* The stamp of a page with a button. */
struct page_stamp {
	struct slice text;
	bool too_fast; /* the page is shown again: its button was pressed too fast for a person */
};
struct page_stamp page_stamp_new(const struct call *call, const struct payload_settings *settings);
/* Whether a person can have pressed the button of a page with the stamp that was sent. False: the page is shown again, with
 * *again, so that only the first two seconds count. */
MUST_CHECK bool page_stamp_check(
    const struct call *call, const struct payload_settings *settings, struct slice sent, struct page_stamp *again);
/* A page with one button, which posts to the same URL. */
struct question {
	enum text_key title, text, button;
	struct slice address; /* of the lead, masked; absent: the text does not show it */
	struct page_stamp stamp;
};
void call_show_question(struct call *call, const struct question *question);
/* Requests a message to a lead (0: none) that no command requests; mails are composed and sent at once. `typed`: the email
 * address (a key) or the number that a caller has typed to request it, whose limits count it whether a lead has it or not;
 * absent: the caller has proven to be the lead. */
MUST_CHECK enum result call_request_message(struct call *call, uint64_t lead_id, enum message_kind kind, struct slice typed);
/* Before its email address is confirmed: adds the number that was entered beside it (docs/api.md 4.1.11, New number). False:
 * the call has failed. */
MUST_CHECK bool call_take_number(struct call *call, const struct lead *lead);
/* Carries out the change that the owner of an address has proven to be its own, and records it as the caller's. */
struct outcome call_execute_proof(struct call *call, const struct lead_change *change);
/* Answers a confirmation of an address by its outcome: leads to the lead's page with its token, if there is one, or to the page
 * that says that a mail does so; else says that the address is confirmed. */
void call_show_confirmed(struct call *call, const struct outcome *outcome);
/* "a***@example.org": mails are forwarded. */
struct slice call_masked_email(struct pool *pool, struct slice email);
