/* SPDX-License-Identifier: MIT
 * Answers for people: pages of src/page in the language of the caller, with the looks of the campaign. */
#ifndef LEADHOOK_API_PAGES_H
#define LEADHOOK_API_PAGES_H

#include "api/call.h"
#include "page/frame.h"
#include "page/message.h"
#include "page/signup.h"

/* The path of the API as browsers see it: that of the base URL, else that of the web server. */
struct slice call_root(const struct call *call);

/* Begins the page that answers the call: its language, its campaign and its place. `looks` are empty. Discards what was
 * answered. */
struct page call_begin_page(struct call *call);
/* Reads the looks of the campaign. */
MUST_CHECK enum result call_read_looks(struct call *call, struct page *page);
/* Begins a page with them, where it is not shown without them. False: the call has failed. */
MUST_CHECK bool call_begin_looks(struct call *call, struct page *page);
/* Reads them where a page without them is better than none. */
void call_try_looks(struct call *call, struct page *page);

/* PAGE_SECRET: the URL has a token. PAGE_FORM: its form needs an Origin (docs/api.md 4.1.11). PAGE_PUBLIC: as PAGE_FORM, and
 * search engines may show it. */
enum page_secrecy { PAGE_SECRET, PAGE_FORM, PAGE_PUBLIC };
/* Sets the content type and the headers of the page; the first call counts. */
void call_page_headers(struct call *call, const struct page *page, enum page_secrecy secrecy);

/* In the query of a lead's page without its token, after a sign-up that was not the lead's first: the parameter by which the
 * visitor named the lead, `email` or `phone_number`. */
#define PAGE_AGAIN SLICE("again")

/* The URL of a page of the campaign, whose path begins with /c/{campaign}; without a base URL a path alone. */
struct slice call_page_url(const struct call *call, struct slice rest);
/* Answers with a redirection (303) to a URL, or a path, of the service; to the URL of such a page. */
void call_redirect_to(struct call *call, struct slice location);
void call_redirect_to_page(struct call *call, struct slice rest);

/* The rest of the URL of the page that says that a mail was sent to this address, as it was typed, which only that page can
 * read. */
struct slice call_sent_path(struct call *call, struct slice email);

/* The phone number of a form, E.164; absent: there is none that is valid. */
struct slice call_typed_number(const struct call *call);

/* Answers with a message and the looks of the campaign. */
void call_answer_message(struct call *call, enum text_key title, enum text_key text);

/* Reads the form of the campaign's page from the body; of another method it is empty. `page` has the looks. False: the call has
 * failed, because the setting of the fields is invalid. */
MUST_CHECK bool call_read_page_form(
    struct call *call, const struct page *page, struct page_fields *fields, struct page_form *form);
/* Answers a form that failed with the same form: the campaign's page, or one with the fields of a form on another page. The
 * status stays. */
void call_answer_failed_form(struct call *call);

#endif
