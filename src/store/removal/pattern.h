/* SPDX-License-Identifier: MIT
 * Regular expressions (PCRE) that find an address: as the whole of a value, and in texts, such as payloads, bodies in JSON or
 * as forms, and URLs. */
#ifndef LEADHOOK_STORE_REMOVAL_PATTERN_H
#define LEADHOOK_STORE_REMOVAL_PATTERN_H

#include "base/pool.h"
#include "base/slice.h"
#include "engine/command.h"

/* SQL: whether a text has what the pattern, a value to bind, finds. */
#define HAS_ADDRESS(column) "COALESCE(CONVERT(" column " USING utf8mb4) REGEXP CONVERT(? USING utf8mb4), 0)"

struct address_patterns {
	struct slice whole;   /* a value that is the address */
	struct slice in_text; /* a text that has it: in any case, with characters escaped as in JSON or in URLs, a number with
				 blanks; but not as a part of a longer address or number */
};

/* Of any of these spellings of one address, which are valid UTF-8. The patterns are in the pool. */
enum { SPELLINGS_MAX = 16 };
struct address_patterns address_patterns(
    struct pool *pool, enum lead_channel channel, const struct slice *spellings, size_t count);

#endif
