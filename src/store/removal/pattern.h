/* SPDX-License-Identifier: MIT
 * Regular expressions (PCRE) that find an address in texts: payloads, bodies in JSON or as forms, URLs. */
#ifndef LEADHOOK_STORE_REMOVAL_PATTERN_H
#define LEADHOOK_STORE_REMOVAL_PATTERN_H

#include "base/pool.h"
#include "base/slice.h"
#include "engine/command.h"

/* SQL: whether a text has what the pattern, a value to bind, finds. */
#define HAS_ADDRESS(column) "COALESCE(CONVERT(" column " USING utf8mb4) REGEXP CONVERT(? USING utf8mb4), 0)"

/* Finds any of these spellings of one address, in any case, with characters escaped as in JSON or in URLs, but not as a part of
 * a longer address or number. Spellings are valid UTF-8. The pattern is in the pool. */
struct slice address_pattern(struct pool *pool, enum lead_channel channel, const struct slice *spellings, size_t count);

#endif
