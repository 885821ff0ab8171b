/* SPDX-License-Identifier: MIT
 * The text with a code (docs/mail.md 8.1). Pure. */
#ifndef LEADHOOK_DELIVER_TEXTS_CODE_TEXT_H
#define LEADHOOK_DELIVER_TEXTS_CODE_TEXT_H

#include <stddef.h>

#include "base/pool.h"
#include "base/slice.h"
#include "text/text.h"

/* What one message has room for, in septets of GSM 03.38. */
enum { CODE_TEXT_MAX = 160 };

/* The septets that the text takes; more than CODE_TEXT_MAX also for one that GSM 03.38 has no characters for. */
size_t gsm_septets(struct slice text);

/* The text, of at most CODE_TEXT_MAX septets. `host`: that of the page on which the code is typed; absent: none. The name of
 * the campaign is left out where it does not fit, or has other characters. */
struct slice code_text(
    struct pool *pool, enum text_language language, struct slice campaign_name, struct slice host, struct slice code);

#endif
