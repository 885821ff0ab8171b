/* SPDX-License-Identifier: MIT
 * Texts that people type or paste and that identify something: addresses, numbers, ids, keys, codes (docs/api.md 4.2). What
 * nobody can see, and other spellings of the same text, make no difference. */
#ifndef LEADHOOK_IDENTITY_TYPED_H
#define LEADHOOK_IDENTITY_TYPED_H

#include "base/pool.h"
#include "base/slice.h"

/* The text without characters that are invisible, with a space for white space of any kind, trimmed. Forms of ASCII characters
 * (full-width ones, ligatures, the ideographic full stop, typographic quotes and dashes) become them. The joiners of Arabic and
 * Indic scripts stay where they change how letters look (RFC 5892 A.1, A.2). A text that is clean is returned as it is, else a
 * copy; to clean it again changes nothing. A text that is not UTF-8 is only trimmed. */
struct slice typed_clean(struct pool *pool, struct slice typed);

/* The same without the spaces and hyphens that group the characters of a code, with digits of any script in ASCII. */
struct slice typed_code(struct pool *pool, struct slice typed);

#endif
