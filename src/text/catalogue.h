/* SPDX-License-Identifier: MIT
 * The tables that scripts/texts generates. Only for text.c. */
#ifndef LEADHOOK_TEXT_CATALOGUE_H
#define LEADHOOK_TEXT_CATALOGUE_H

#include "base/slice.h"
#include "text/keys.h"

extern const struct slice text_language_codes[TEXT_LANGUAGES];
extern const struct slice text_catalogue[TEXT_LANGUAGES][TEXT_KEYS];

#endif
