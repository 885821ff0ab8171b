/* SPDX-License-Identifier: MIT
 * Cleans identifiers that people type or paste: addresses, numbers, ids, keys, codes (docs/api.md 4.2). Invisible characters
 * and other spellings of the same text make no difference. */
#pragma once

#include <uninorm.h>

#include "base/pool.h"

/* The text without invisible characters, with a space for white space of any kind, trimmed. Forms of ASCII characters
 * (full-width ones, ligatures, the ideographic full stop, typographic quotes and dashes) become these characters. The joiners
 * of Arabic and Indic scripts stay where they change how letters look (RFC 5892 A.1, A.2). A clean text is returned unchanged,
 * any other as a copy. Cleaning twice changes nothing. A text that is not UTF-8 is only trimmed. */
struct slice typed_clean(struct pool *pool, struct slice typed);

/* The text, which must be valid UTF-8, in a Unicode normal form such as UNINORM_NFC. In the pool, or the text itself if it is
 * ASCII, which every form leaves unchanged. */
struct slice typed_normalized(struct pool *pool, uninorm_t form, struct slice text);

/* A clean text without the spaces and hyphens that group the characters of a code, with digits of any script in ASCII. */
struct slice typed_code(struct pool *pool, struct slice typed);
