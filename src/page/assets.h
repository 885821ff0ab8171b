/* SPDX-License-Identifier: MIT
 * The stylesheet and the script of all hosted pages, and the script for other ones: src/page/style.css, page.js and embed.js,
 * as scripts/embed-script compiles them in. */
#ifndef LEADHOOK_PAGE_ASSETS_H
#define LEADHOOK_PAGE_ASSETS_H

#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"

extern const char page_style[], page_script[], embed_script[];
extern const size_t page_style_size, page_script_size, embed_script_size; /* without the final NUL */

enum page_asset { PAGE_ASSET_STYLE, PAGE_ASSET_SCRIPT, PAGE_ASSET_EMBED };
struct slice page_asset(enum page_asset asset);
/* A word that changes with it. */
struct slice page_asset_version(struct pool *pool, enum page_asset asset);
/* The value of the attribute `integrity` for it. */
struct slice page_asset_integrity(struct pool *pool, enum page_asset asset);

#endif
