/* SPDX-License-Identifier: MIT
 * Links that share a URL on other sites and in messages. They load nothing from there. */
#ifndef LEADHOOK_PAGE_SHARE_H
#define LEADHOOK_PAGE_SHARE_H

#include "page/frame.h"

/* The link itself with a button that copies it, a button of the browser's own dialogue, and a list of sites. */
void page_write_share(const struct page *page, struct slice link, struct slice hint);

#endif
