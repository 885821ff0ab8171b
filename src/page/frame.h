/* SPDX-License-Identifier: MIT
 * What all pages have in common: head, header, footer, and the headers of the response. */
#ifndef LEADHOOK_PAGE_FRAME_H
#define LEADHOOK_PAGE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"
#include "page/html.h"
#include "page/looks.h"
#include "text/text.h"

/* One page that is being written. */
struct page {
	struct pool *pool;
	struct buffer *out;
	enum text_language language;
	struct slice root;          /* path of the API in the browser: "", "/lead" */
	struct slice base_url;      /* the same as a URL; absent: unknown */
	uint64_t campaign_id;       /* 0: the page belongs to no campaign */
	struct slice campaign_name; /* of a campaign */
	unsigned wait_s;            /* what `{time}` in texts stands for, in words */
	struct looks looks;         /* of a campaign */
	struct slice footer_url, footer_text; /* of a link besides the campaign's; absent: none */
	bool is_preview;            /* without links to stylesheets and script */
};

struct page_head {
	struct slice title;       /* of the page and its heading */
	struct slice description; /* absent: none */
	bool has_error;           /* the page shows an error: its title says so */
	bool is_public;           /* search engines may show it, and other sites a preview of it */
};

/* The path of the service in the browser: that of its URL, or without one `base_path`. */
struct slice page_root(struct slice base_url, struct slice base_path);

/* Everything up to the heading, and everything after the content. */
void page_begin(const struct page *page, const struct page_head *head);
void page_end(const struct page *page);

/* The text of a key in the page's language, with {campaign} replaced. */
struct slice page_text(const struct page *page, enum text_key key);
/* A path of the campaign's pages: "/lead/c/1", then `rest`. */
struct slice page_path(const struct page *page, struct slice rest);

/* The origin of an absolute http or https URL as a policy names it: "https://example.org:8443". Its host alone, with any port,
 * where that has other characters than ASCII; absent for any other text. */
struct slice page_source(struct pool *pool, struct slice url);
/* Content-Security-Policy of the page. `sources`: where its forms may lead to besides the service, as Chromium applies
 * form-action to redirects after a form, too; separated by blanks; absent: none. `frames`: which pages may show it in a frame;
 * absent: none. */
struct slice page_policy(const struct page *page, struct slice sources, struct slice frames);

#endif
