/* SPDX-License-Identifier: MIT
 * The stylesheet and the script of the hosted pages, and the script that other sites load. scripts/embed-script compiles them
 * in from style.css, page.js and embed.js of src/page. */
#pragma once

#include "base/asset.h"

extern const struct asset page_style, page_script, embed_script;
