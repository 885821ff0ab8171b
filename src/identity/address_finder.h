/* SPDX-License-Identifier: MIT
 * Finds an email address or phone number in texts, such as payloads, bodies of requests and URLs (docs/operating.md 7.4). The
 * time is proportional to the text, whatever it contains: its author may be hostile. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"

struct address_finder;

enum { FINDER_SPELLINGS_MAX = 16 };

/* Return a finder, in the pool, for an email address in any valid spelling, or for a number in E.164. */
struct address_finder *address_finder_of_email(struct pool *pool, const struct slice *spellings, size_t count);
struct address_finder *address_finder_of_phone(struct pool *pool, struct slice number);

/* Whether the value is the address: an email address with the same key (identity/email.h); a number with or without its "+". */
MUST_CHECK bool address_finder_is(const struct address_finder *finder, struct slice value);
/* Whether the text contains the address, in any case that gives the same key, with characters escaped as in JSON and in URLs,
 * up to three times. A number may contain blanks and punctuation. A part of a longer address or number does not count. The text
 * may be any bytes. */
MUST_CHECK bool address_finder_finds(const struct address_finder *finder, struct slice text);
