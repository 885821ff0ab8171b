/* SPDX-License-Identifier: MIT
 * The stylesheet and the script of all hosted pages, and the script for other ones: src/page/style.css, page.js and embed.js,
 * as scripts/embed-script compiles them in. */
#ifndef LEADHOOK_PAGE_ASSETS_H
#define LEADHOOK_PAGE_ASSETS_H

#include "base/asset.h"
#include "base/pool.h"

extern const struct asset page_style, page_script, embed_script;

/* The value of the attribute `integrity` for it. */
struct slice asset_integrity(struct pool *pool, const struct asset *asset);

#endif
