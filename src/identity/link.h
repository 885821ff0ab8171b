/* SPDX-License-Identifier: MIT
 * Links that clients supply, to which a page may send its visitors, and links to hosted pages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

/* True for an http or https URL and for a reference without a scheme ("/thanks", "//shop.example/", "?step=2"), parsed as
 * browsers do (WHATWG URL, "basic URL parser"), which skip leading blanks. Browsers also skip some control characters; links
 * with any of these ("java\nscript:alert(1)") are refused. */
bool link_is_web(struct slice link);

/* Whether it begins with http:// or https://. */
bool link_is_absolute(struct slice link);

/* The host, in lower-case A-labels, of an http or https URL, whose scheme may be missing ("//shop.example/",
 * "shop.example/a"); absent when there is none. In the pool. */
struct slice link_host(struct pool *pool, struct slice link);

/* The address, in the pool, of a hosted page (docs/pages.md): the campaign's sign-up page, or the page at `rest` below it
 * ("/code"). `root` is the URL or the path of the service, without a trailing '/'. */
struct slice link_to_page(struct pool *pool, struct slice root, uint64_t campaign_id, struct slice rest);
