/* SPDX-License-Identifier: MIT
 * UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* Takes the first character off *rest. Returns false, with nothing changed, if *rest is empty or does not start with one. */
MUST_CHECK bool utf8_next(struct slice *rest, uint32_t *character);

/* The size of the longest valid prefix in bytes: s.size if all of it is valid. */
size_t utf8_valid_size(struct slice s);

static inline bool
utf8_valid(struct slice s)
{
	return utf8_valid_size(s) == s.size;
}

/* The longest beginning of a valid text that has at most `maximum` bytes and ends with a whole character. */
struct slice utf8_cut(struct slice s, size_t maximum);

/* Whether it contains a control character: those of slice_has_control, and C1 (U+0080 to U+009F). */
bool utf8_has_control(struct slice s);

/* Replaces each byte that belongs to no character by U+FFFD; a copy in the pool, unless all of it is valid. */
struct slice utf8_sanitized(struct pool *pool, struct slice s);
