/* SPDX-License-Identifier: MIT
 * Pages with a message: results, errors, and questions that one button answers. */
#ifndef LEADHOOK_PAGE_MESSAGE_H
#define LEADHOOK_PAGE_MESSAGE_H

#include "page/frame.h"
#include "page/signup.h"

/* A message, and what can be done about it. */
struct page_message {
	struct slice title, text;
	struct slice button;              /* of a form that posts to the same URL; absent: none */
	const struct page_hidden *hidden; /* of that form */
	size_t hidden_count;
	bool is_quiet;                /* the button is not the main thing to do */
	struct slice link, link_text; /* absent: none */
	struct slice notice;          /* what a button has done; absent: none was pressed */
};
void page_write_message(const struct page *page, const struct page_message *message);
/* What is said after the end of the campaign: its own text, or the usual one. The page has the looks. */
struct page_message page_ended_message(const struct page *page);

/* What a code confirms. `address`: the email address or number as it is shown, which may be masked. */
struct page_code {
	struct slice address;
	bool by_phone;
	enum page_value verdict; /* of the code that was typed */
	const struct page_hidden *hidden;
	size_t hidden_count;
	bool can_resend; /* the page has a second button, `resend` */
	bool too_fast;   /* the button was pressed too fast for a person */
};
/* Requests confirmation of an address by one button, which posts to the same URL. `rejects`: it has a second button, `reject`,
 * for an owner of the address that did not sign up. */
void page_write_confirm(const struct page *page, const struct page_code *code, bool rejects);
/* Requests the code that was sent to an address; it is posted to the same URL as `code`. */
void page_write_code(const struct page *page, const struct page_code *code);
/* Requests the code and the address that it was sent to. The fields of the form are for the address: an email address or, with
 * `by_phone`, a number. */
void page_write_code_and_address(const struct page *page, const struct page_form *form, bool by_phone);

#endif
