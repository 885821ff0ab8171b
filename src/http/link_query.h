/* SPDX-License-Identifier: MIT
 * Links that were damaged when they were copied from a mail, a chat or a print-out: "&" has become "&amp;", or the full stop of
 * a sentence sticks to the end. Their path, `kid` and `utm_…` are repaired (docs/api.md 1.4, "Copied links"). src/page/link.js
 * applies the same rules in scripts of pages; tests/http/links.txt has examples for both. */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* The repaired query, in the pool: `utm_source=flyer&amp;kid=ABCD1234.` becomes `utm_source=flyer&kid=ABCD1234`. In parameters
 * with other names, only a second '?', which becomes "&", and "amp;" before a name are repaired. */
struct slice http_link_query(struct pool *pool, struct slice query);

/* Repairs a path that begins with /c/ or /opt-out/; other paths stay as they are. It ends before the first character that such
 * paths never contain: "/c/1)" becomes "/c/1". If parameters follow that character, they are put before the query:
 * "/c/1&utm_source=mail" becomes "/c/1?utm_source=mail". The query is in the pool. */
void http_link_path(struct pool *pool, struct slice *segments, size_t *count, struct slice *query);

/* Finds the social id in a value of `kid` that someone typed or copied: without hyphens, non-ASCII characters and surrounding
 * text. "(abcd-1234)" contains "abcd1234". Returns false when there is none. The id is in the pool. */
MUST_CHECK bool http_link_id(struct pool *pool, struct slice value, struct slice *id);
