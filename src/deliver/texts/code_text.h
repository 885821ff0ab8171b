/* SPDX-License-Identifier: MIT
 * The text with a code (docs/mail.md 8.1). Pure. */
#pragma once

#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"
#include "text/text.h"

/* The size of one text message, in septets of GSM 03.38. */
enum { CODE_TEXT_MAX = 160 };

/* How many septets the text takes. More than CODE_TEXT_MAX if a character is not in GSM 03.38. */
size_t gsm_septets(struct slice text);

/* The text, at most CODE_TEXT_MAX septets. `host`: the host of the page on which the code is entered; may be absent. The name
 * of the campaign is left out if it does not fit or contains other characters. */
struct slice code_text(
    struct pool *pool, enum text_language language, struct slice campaign_name, struct slice host, struct slice code);
