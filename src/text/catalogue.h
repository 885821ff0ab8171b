/* SPDX-License-Identifier: MIT
 * The tables that scripts/texts generates. Only for text.c. */
#pragma once

#include "base/slice.h"
#include "text/keys.h"

extern const struct slice text_language_codes[TEXT_LANGUAGES];
extern const struct slice text_catalogue[TEXT_LANGUAGES][TEXT_KEYS];
