/* SPDX-License-Identifier: MIT
 * Tags of languages (RFC 5646): "de", "de-AT", "zh-Hant-TW". */
#pragma once

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* bytes */
enum { LANGUAGE_TAG_MAX = 12 };

/* Parses language, script and region, and returns them in their usual case, in the pool: "de_at" becomes "de-AT". Anything
 * after them, such as "-1996" or ".UTF-8", is left out. Returns false, with *tag unchanged, for a text that does not begin with
 * a language. */
MUST_CHECK bool language_tag_parse(struct pool *pool, struct slice text, struct slice *tag);
/* "de" of "de-AT". */
struct slice language_tag_language(struct slice tag);
