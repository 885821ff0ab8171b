/* SPDX-License-Identifier: MIT
 * The stylesheet and the script of the hosted pages, and the script that other sites load: style.css, page.js and embed.js of
 * src/page, compiled in by scripts/embed-script. */
#pragma once

#include "base/asset.h"

extern const struct asset page_style, page_script, embed_script;
