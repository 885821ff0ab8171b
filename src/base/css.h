/* SPDX-License-Identifier: MIT
 * Follows the text of a stylesheet or of an attribute `style`, to find words in it in any case and with blanks between their
 * letters. Words that are written with escapes are not found: escapes of letters and digits are reported. */
#ifndef LEADHOOK_BASE_CSS_H
#define LEADHOOK_BASE_CSS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"

enum { CSS_WORD_MAX_BYTES = 16 };

/* Zeros: nothing was followed yet. */
struct css_scan {
	char last[CSS_WORD_MAX_BYTES]; /* bytes, in lower case, without blanks */
	bool escaped;                  /* after a backslash */
};

/* Follows one byte. Returns false for a letter or digit after a backslash. */
MUST_CHECK bool css_scan_byte(struct css_scan *scan, char c);
/* Whether what was followed ends with one of the words: in lower case, without blanks, at most CSS_WORD_MAX_BYTES. */
bool css_scan_found(const struct css_scan *scan, const struct slice *words, size_t count);
/* Whether it ends with what loads something: a picture, a font, another stylesheet. */
bool css_scan_loads(const struct css_scan *scan);

#endif
