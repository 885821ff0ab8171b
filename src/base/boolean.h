/* SPDX-License-Identifier: MIT
 * Booleans as text. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/slice.h"

/* Reads yes, true, on, 1, y, t and their opposites, and the words that spreadsheets write in other languages. Case does not
 * matter. Returns false, with *value unchanged, for any other text, including an empty one. */
MUST_CHECK bool boolean_parse(struct slice text, bool *value);
