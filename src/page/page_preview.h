/* SPDX-License-Identifier: MIT
 * Hosted pages as they would look with texts that are being edited: without links to stylesheets and script, without tokens,
 * and without the fields that the rules against bots add to forms. */
#pragma once

#include "page/page_frame.h"
#include "page/status.h"

enum page_view { PAGE_VIEW_SIGNUP, PAGE_VIEW_STATUS, PAGE_VIEWS };
/* Reads "signup" or "status". Returns false, with *view unchanged, for any other text. */
MUST_CHECK bool page_view_parse(struct slice text, enum page_view *view);

/* Writes the page. `status` is used only for PAGE_VIEW_STATUS, with a sample in place of its lead. Returns false, with a
 * sentence in *problem, when the fields of the looks are not valid. */
MUST_CHECK bool page_write_preview(
    const struct page *page, enum page_view view, const struct page_status *status, struct slice *problem);
/* Writes the stylesheet of the page: the common one, then the campaign's own. */
void page_write_preview_style(const struct page *page, struct buffer *out);
