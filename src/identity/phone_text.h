/* SPDX-License-Identifier: MIT
 * How people and programs write phone numbers, independent of numbering plans (docs/api.md 4.2). */
#pragma once

#include "identity/phone.h"

/* PHONE_TYPED_MAX includes an international prefix of five digits, as in Australia; a text with more digits is not a number.
 * Fewer than PHONE_SEVERAL_MIN digits after a slash are not a second number. */
enum { PHONE_TYPED_MAX = PHONE_DIGITS_MAX + 5, PHONE_SEVERAL_MIN = 5 };

struct phone_text {
	char digits[PHONE_TYPED_MAX + 1]; /* without the digits of an extension; terminated; may be empty */
	bool plus;                        /* "+" precedes the digits */
	bool extension;                   /* an extension was left out */
	size_t zero;                      /* place, from 1, of a single 0 in brackets after other digits; 0: none */
};

/* The text cleaned (typed.h), with digits of any script and signs between digits in ASCII. */
struct slice phone_text_clean(struct pool *pool, struct slice typed);
/* Reads such a text. PHONE_GOOD (also if it has no digits), PHONE_MALFORMED or PHONE_ROUNDED. */
enum phone_fault phone_text_read(struct slice clean, struct phone_text *text);
