/* SPDX-License-Identifier: MIT
 * Forms that a browser sends without a script are answered for people: by a redirection or a page instead of JSON (docs/api.md
 * 4.1.10). Also checks the page from which a browser sends a request (4.1.11). */
#pragma once

#include "api/call/api_call.h"

/* Whether a browser sent a form without a script. */
MUST_CHECK bool call_is_form(const struct call *call);
/* Turns the answer to such a form into a redirection or a page. Does nothing for other calls. */
void call_finish_form(struct call *call);
/* The phone number of a form, in E.164; absent: there is no valid one. */
struct slice call_typed_number(const struct call *call);
/* A text member of a payload; absent: there is none. In the pool. */
struct slice call_payload_text(struct pool *pool, struct slice payload, struct slice name);

/* The address to which a mail was sent is sealed in the URL of the page that says so: only that page can read it. Returns the
 * rest of that URL, for an address as it was typed. */
struct slice sent_address_path(struct call *call, struct slice email);
/* The address in the URL of the call, as a key; absent: there is none, or it was sealed too long ago. */
struct slice sent_address_read(struct call *call);

/* Answers with a redirection (303) to a URL, or a path, of the service. */
void call_redirect_to(struct call *call, struct slice location);
/* The same to a page of the campaign (call_page_url). */
void call_redirect_to_page(struct call *call, struct slice rest);
/* The same to any http or https URL. Returns false, with nothing done, for others. */
MUST_CHECK bool call_redirect(struct call *call, struct slice url);

/* Whether a browser sent the request from a page on the host of `server.base_url`, as hosted pages are. */
MUST_CHECK bool call_is_from_hosted_page(const struct call *call);
/* Whether a browser sent the request from a page whose host is not one of the campaign's (docs/api.md 4.1.11). */
MUST_CHECK bool call_is_from_foreign_page(const struct call *call);
