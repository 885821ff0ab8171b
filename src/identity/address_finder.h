/* SPDX-License-Identifier: MIT
 * Finds an address: as the whole of a value, and in texts, such as payloads, bodies in JSON or as forms, and URLs
 * (docs/operating.md 7.4). The time is that of reading the text a few times, whatever is in it: its author may have wanted it
 * to take long. */
#ifndef LEADHOOK_IDENTITY_ADDRESS_FINDER_H
#define LEADHOOK_IDENTITY_ADDRESS_FINDER_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct address_finder;

enum { FINDER_SPELLINGS_MAX = 16 };

/* In the pool. Of any of these spellings of one email address, which are valid, or of a number in E.164. */
struct address_finder *address_finder_of_email(struct pool *pool, const struct slice *spellings, size_t count);
struct address_finder *address_finder_of_phone(struct pool *pool, struct slice number);

/* Whether the value is the address: an email address with the same key (identity/email.h); a number with or without its "+". */
MUST_CHECK bool address_finder_is(const struct address_finder *finder, struct slice value);
/* Whether a text has it: in cases that have the same key, with characters escaped as in JSON and in URLs, up to three times; a
 * number also with blanks and punctuation. Not as a part of a longer address or number. Any bytes are a text. */
MUST_CHECK bool address_finder_finds(const struct address_finder *finder, struct slice text);

#endif
