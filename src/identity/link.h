/* SPDX-License-Identifier: MIT
 * Links: those that clients supply and that a page may send its visitors to, and those to hosted pages. */
#ifndef LEADHOOK_IDENTITY_LINK_H
#define LEADHOOK_IDENTITY_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"

/* True for an http or https URL and for a reference without a scheme ("/thanks", "//shop.example/", "?step=2"), parsed as
 * browsers do (WHATWG URL, "basic URL parser"), which skip leading blanks. They skip some control characters, too: with any of
 * these ("java\nscript:alert(1)") it is false. */
bool link_is_web(struct slice link);

/* Whether it begins with http:// or https://. */
bool link_is_absolute(struct slice link);

/* The host, in lower-case A-labels, of an http or https URL, whose scheme may be missing ("//shop.example/",
 * "shop.example/a"); absent when there is none. In the pool. */
struct slice link_host(struct pool *pool, struct slice link);

/* The address of a hosted page (docs/pages.md): of the campaign's sign-up page, or of the one at `rest` below it ("/code").
 * `root`: the URL or the path of the service, without a trailing '/'. In the pool. */
struct slice link_to_page(struct pool *pool, struct slice root, uint64_t campaign_id, struct slice rest);

#endif
