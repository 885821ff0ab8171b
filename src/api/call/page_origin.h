/* SPDX-License-Identifier: MIT
 * Pages of other sites: their URLs in answers, and the page from which a browser has sent a request (docs/api.md 4.1.11). */
#pragma once

#include "api/call/api_call.h"

/* The URL, rebuilt from its checked parts for the header Location; absent if it is not an absolute http or https URL. */
struct slice call_location(struct pool *pool, struct slice url);
/* Like call_location, but absent if the host is not one of the campaign's. */
struct slice call_own_location(const struct call *call, struct slice url);

/* Whether a browser sent the request from a page on the host of `server.base_url`, as hosted pages are. */
MUST_CHECK bool call_is_from_hosted_page(const struct call *call);
/* Whether a browser sent the request from a page whose host is not one of the campaign's (docs/api.md 4.1.11). */
MUST_CHECK bool call_is_from_foreign_page(const struct call *call);
