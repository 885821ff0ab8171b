/* SPDX-License-Identifier: MIT
 * Finds stems and words of a table in texts of plain words.
 *
 * Words in a text are separated by spaces or underscores. A table is a list with spaces between its items. A stem matches
 * anywhere in a text; in a stem, "_" stands for one separator, and "-" for any number of separators, including none. */
#pragma once

#include "base/slice.h"

/* The offset of the first match of any stem; the size of the text if there is none. */
size_t stems_find(struct slice text, const char *stems);
/* Whether any of the stems matches. */
bool stems_occur(struct slice text, const char *stems);
/* Whether any word of the text is in the table, as a whole. */
bool stems_has_word(struct slice text, const char *words);
