/* SPDX-License-Identifier: MIT
 * Hosted pages as they would look with texts that are being edited: without links to stylesheets, script, tokens, and what
 * rules against bots add to forms. */
#ifndef LEADHOOK_PAGE_PREVIEW_H
#define LEADHOOK_PAGE_PREVIEW_H

#include "page/frame.h"
#include "page/status.h"

enum page_view { PAGE_VIEW_SIGNUP, PAGE_VIEW_STATUS, PAGE_VIEWS };
/* "signup", "status". Returns false, with *view unchanged, for any other text. */
MUST_CHECK bool page_view_parse(struct slice text, enum page_view *view);

/* Writes the page. What `status` has of a lead is replaced by sample values; only that view uses it. Returns
 * false with a sentence in *problem when the fields of the looks are not valid. */
MUST_CHECK bool page_write_preview(
    const struct page *page, enum page_view view, const struct page_status *status, struct slice *problem);
/* The stylesheet for it: that of all pages, then the campaign's own. */
void page_write_preview_style(const struct page *page, struct buffer *out);

#endif
