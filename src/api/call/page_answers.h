/* SPDX-License-Identifier: MIT
 * Answers for people: pages of src/page in the language of the caller, with the looks of the campaign. */
#pragma once

#include "api/call/api_call.h"
#include "page/message_page.h"
#include "page/page_frame.h"

/* The path of the API as browsers see it: from the base URL, otherwise from the web server. */
struct slice call_root(const struct call *call);

/* Begins the page that answers the call, with its language, campaign and root; `looks` are empty. Discards an earlier
 * answer. */
struct page call_begin_page(struct call *call);
/* Reads the looks of the campaign. */
MUST_CHECK enum result call_read_looks(struct call *call, struct page *page);
/* Begins a page that cannot be shown without the looks of the campaign. False: the call has failed. */
MUST_CHECK bool call_begin_looks(struct call *call, struct page *page);

/* PAGE_SECRET: the URL has a token. PAGE_FORM: its form needs an Origin (docs/api.md 4.1.11). PAGE_PUBLIC: as PAGE_FORM, and
 * search engines may show it. */
enum page_secrecy { PAGE_SECRET, PAGE_FORM, PAGE_PUBLIC };
/* Sets the content type and the headers of the page; only the first call counts. */
void call_page_headers(struct call *call, const struct page *page, enum page_secrecy secrecy);
/* Begins a page and sets its headers. It has the looks of the campaign, unless they cannot be read. */
struct page call_open_page(struct call *call, enum page_secrecy secrecy);

/* The query parameter of a lead's page without its token, after a repeated sign-up. Its value is the parameter with which the
 * visitor named the lead: `email` or `phone_number`. */
#define PAGE_AGAIN SLICE("again")
/* The query parameter of a page whose button has requested a mail again. */
#define PAGE_RESENT SLICE("resent")

/* The URL of a page of the campaign, whose path begins with /c/{campaign}; without a base URL, only the path. */
struct slice call_page_url(const struct call *call, struct slice rest);
/* Answers with a message and the looks of the campaign. */
void call_answer_message(struct call *call, enum text_key title, enum text_key text);

/* Answers with a page about the failure of the call. */
void call_fail_page(struct call *call);

/* Answers with a redirection (303) to a URL, or a path, of the service. */
void call_redirect_to(struct call *call, struct slice location);
/* Like call_redirect_to, for a page of the campaign (call_page_url). */
void call_redirect_to_page(struct call *call, struct slice rest);
/* Like call_redirect_to, for any http or https URL. Returns false, without any effect, for other texts. */
MUST_CHECK bool call_redirect(struct call *call, struct slice url);

/* The path, for call_page_url, of the page that says that a mail was sent to an address. The address, as it was typed, is
 * sealed in the query, so that only this page can read it. */
struct slice sent_address_path(struct call *call, struct slice email);
/* The address in the URL of the call, as a key; absent: there is none, or it was sealed more than an hour ago. */
struct slice sent_address_read(struct call *call);
