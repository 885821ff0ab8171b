/* SPDX-License-Identifier: MIT
 * Pages with a message: results, errors, and questions that a button or a code answers. */
#pragma once

#include "page/page_form.h"
#include "page/page_frame.h"

/* A message, and what the visitor can do about it. */
struct page_message {
	struct slice title, text;
	struct slice button;              /* of a form that posts to the same URL; absent: none */
	const struct page_hidden *hidden; /* fields of that form */
	size_t hidden_count;
	bool is_quiet;                /* the button is less important than the rest of the page, and less prominent */
	struct slice link, link_text; /* absent: none */
	struct slice notice;          /* what the button did; absent: it was not pressed */
};
void page_write_message(const struct page *page, const struct page_message *message);
/* The message that the campaign has ended, with its own text or the usual one. `page` has the looks of the campaign. */
struct page_message page_ended_message(const struct page *page);

/* The confirmation of an address, by a code or by a link. */
struct page_code {
	struct slice address; /* the email address or phone number to show, which may be masked */
	bool by_phone;
	enum page_value verdict; /* on the code that was typed */
	const struct page_hidden *hidden;
	size_t hidden_count;
	bool too_fast; /* the button was pressed too fast for a person */
};
/* Asks for the confirmation of an address by a button, which posts to the same URL. A second button, `reject`, is for an owner
 * of the address who did not sign up. */
void page_write_confirm(const struct page *page, const struct page_code *code);
/* Asks for the code that was sent to an address. It is posted to the same URL as `code`; a second button posts `resend`. */
void page_write_code(const struct page *page, const struct page_code *code);
/* Asks for the code and for the address that it was sent to, which is typed into the fields of `form`. */
void page_write_code_and_address(const struct page *page, const struct page_form *form, enum text_key text);
