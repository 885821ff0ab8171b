/* SPDX-License-Identifier: MIT
 * Links to share a URL on other sites and in messages. Nothing is loaded from those sites. */
#pragma once

#include "page/page_frame.h"

/* Writes the link with a button that copies it, a button that opens the browser's own dialog, and a list of sites. */
void page_write_share(const struct page *page, struct slice link, struct slice hint);
