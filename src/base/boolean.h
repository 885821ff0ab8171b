/* SPDX-License-Identifier: MIT
 * Booleans as text. */
#ifndef LEADHOOK_BASE_BOOLEAN_H
#define LEADHOOK_BASE_BOOLEAN_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/slice.h"

/* Reads yes, true, on, 1, y, t and their opposites, and the words that spreadsheets in other languages write, in any case of
 * letters. Returns false, with *value unchanged, for any other text; an empty one, too. */
MUST_CHECK bool boolean_parse(struct slice text, bool *value);

#endif
