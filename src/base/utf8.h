/* SPDX-License-Identifier: MIT
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef LEADHOOK_BASE_UTF8_H
#define LEADHOOK_BASE_UTF8_H

#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Takes one character off the front of *rest. False, nothing changed, when *rest is empty or does not start with one. */
MUST_CHECK bool utf8_next(struct slice *rest, uint32_t *character);

/* Bytes of the longest prefix that is valid: s.size when all of it is. */
size_t utf8_valid_size(struct slice s);

static inline bool
utf8_valid(struct slice s)
{
	return utf8_valid_size(s) == s.size;
}

/* The same text with U+FFFD for each byte that belongs to no character; in the pool, unless all of it is valid. */
struct slice utf8_sanitized(struct pool *pool, struct slice s);

#endif
