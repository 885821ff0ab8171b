/* SPDX-License-Identifier: MIT
 * The stylesheet and the script of all pages, src/page/style.css and src/page/page.js, as scripts/embed-script compiles them
 * in. */
#ifndef LEADHOOK_PAGE_ASSETS_H
#define LEADHOOK_PAGE_ASSETS_H

#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"

extern const char page_style[], page_script[];
extern const size_t page_style_size, page_script_size; /* without the final NUL */

enum page_asset { PAGE_ASSET_STYLE, PAGE_ASSET_SCRIPT };
struct slice page_asset(enum page_asset asset);
/* A word that changes with it. */
struct slice page_asset_version(struct pool *pool, enum page_asset asset);

#endif
