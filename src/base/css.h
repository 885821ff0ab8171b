/* SPDX-License-Identifier: MIT
 * Scans a stylesheet or a `style` attribute for words, in any case and with blanks between their letters. Words with escaped
 * letters are not found; instead, escapes of letters and digits are reported. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"

enum { CSS_WORD_MAX_BYTES = 16 };

/* Initially zeroed. */
struct css_scan {
	char last[CSS_WORD_MAX_BYTES]; /* the last bytes scanned, in lower case, without blanks */
	bool escaped;                  /* after a backslash */
};

/* Scans one byte. Returns false for a letter or digit after a backslash. */
MUST_CHECK bool css_scan_byte(struct css_scan *scan, char c);
/* Whether the text so far ends with one of the words, which are in lower case, without blanks, and have at most
 * CSS_WORD_MAX_BYTES. */
bool css_scan_found(const struct css_scan *scan, const struct slice *words, size_t count);
/* Whether the text so far ends with a word that loads a picture, a font or another stylesheet. */
bool css_scan_loads(const struct css_scan *scan);
