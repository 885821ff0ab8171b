/* SPDX-License-Identifier: MIT
 * Links that people have copied, from a mail, a chat or a print-out: what the copying has damaged of the path, of `kid` and of
 * `utm_…` is mended. src/page/link.js has the same rules for scripts of pages, and tests/http/links.txt the examples of both.
 */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* The query as it was meant (docs/api.md 1.4). Of parameters that are none of these names only a second '?' and "amp;" before
 * the name are mended. In the pool. */
struct slice http_link_query(struct pool *pool, struct slice query);

/* The path of a page that links lead to, /c/… or /opt-out/…, as it was meant (docs/api.md 1.4): what no such path has, and all
 * that follows, is cut off and goes before the query, in the pool. Other paths stay. */
void http_link_path(struct pool *pool, struct slice *segments, size_t *count, struct slice *query);

/* The social id in the value of `kid`, as it was typed: without what surrounds it, and without hyphens and characters that are
 * not ASCII. Returns false when there is none. */
MUST_CHECK bool http_link_id(struct pool *pool, struct slice value, struct slice *id);
