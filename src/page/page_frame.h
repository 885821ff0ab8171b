/* SPDX-License-Identifier: MIT
 * What all hosted pages share: head, header, footer, and the policy in the headers of the answer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"
#include "page/html.h"
#include "page/looks.h"
#include "text/text.h"

/* A page that is being written. */
struct page {
	struct pool *pool;
	struct buffer *out;
	enum text_language language;
	struct slice root;     /* path of the service as browsers see it: "", "/lead" */
	struct slice base_url; /* the same as a URL; absent: unknown */
	uint64_t campaign_id;  /* 0: none; then name and looks are empty */
	struct slice campaign_name;
	unsigned wait_s; /* seconds to wait; `{time}` in a text stands for them in words */
	struct looks looks;
	struct slice footer_url, footer_text; /* a link after the campaign's links; absent: none */
	bool is_preview;                      /* without links to stylesheets and script */
};

struct page_head {
	struct slice title;       /* also the heading */
	struct slice description; /* absent: none */
	bool has_error;           /* the title says that the page shows an error */
	bool is_public;           /* search engines may list it, and other sites show a preview of it */
};

/* The path of the service as browsers see it: that of its URL, or `base_path` if it has none. */
struct slice page_root(struct slice base_url, struct slice base_path);

/* Write everything before the content, including the heading, and everything after it. */
void page_begin(const struct page *page, const struct page_head *head);
void page_end(const struct page *page);

/* A text in the page's language, with {campaign} and {time} replaced. */
struct slice page_text(const struct page *page, enum text_key key);
/* The campaign's own text, otherwise the usual one. */
struct slice page_own_text(const struct page *page, enum look own, enum text_key usual);
/* A text without placeholders, and a text with values for other placeholders: PAGE_FILL(page, TEXT_POINTS_MANY, { "number",
 * number }). */
static inline struct slice
page_word(const struct page *page, enum text_key key)
{
	return text_find(page->language, key);
}
#define PAGE_FILL(page, key, ...) TEXT_FILL((page)->pool, page_word((page), (key)), __VA_ARGS__)
/* A path of the campaign's pages: "/lead/c/1", then `rest`. */
struct slice page_path(const struct page *page, struct slice rest);

/* The origin of an absolute http or https URL as a policy names it: "https://example.org:8443". If the host has characters
 * beyond ASCII: the host alone, with any port. Absent for any other text. */
struct slice page_source(struct pool *pool, struct slice url);
/* The Content-Security-Policy of the page. `sources`: where its forms may lead besides the service, separated by blanks,
 * because Chromium also applies form-action to redirects after a form; absent: nowhere. `frames`: which pages may show it in a
 * frame; absent: none. */
struct slice page_policy(const struct page *page, struct slice sources, struct slice frames);
