/* SPDX-License-Identifier: MIT
 * Phone numbers (docs/api.md 4.2): normalized to E.164. */
#ifndef LEADHOOK_IDENTITY_PHONE_H
#define LEADHOOK_IDENTITY_PHONE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"
#include "identity/phone_kind.h"

/* Number of digits, calling code included, '+' not counted (maximum: ITU-T E.164 6.2). */
enum { PHONE_DIGITS_MIN = 7, PHONE_DIGITS_MAX = 15 };
/* Of a country code. Some countries of code 1 are known by four digits, as 1242. */
enum { PHONE_COUNTRY_DIGITS_MAX = 4 };

/* Reads the library's metadata (some megabytes) now rather than at the first number: a parent calls it before it forks, so
 * that its children share the memory. Need not be called. */
void phone_load(void);

/* `country_code` stands before the number unless that begins with '+' itself: up to PHONE_COUNTRY_DIGITS_MAX digits with or
 * without '+', or an ISO 3166 two-letter code in any case; absent or empty is none, and the number must then begin with '+'.
 * Any other text is refused, also where it is not used. Spaces, '-', '.', '(' and
 * ')' are dropped from the number, anything else is refused. libphonenumber decides what is possible and drops a national trunk
 * prefix; built without it, the form alone is checked ('+', 7 to 15 digits, the first not 0) and two letters name no country.
 * False when it is no number; *e164 ("+" and digits, in the pool) is then untouched. */
MUST_CHECK bool phone_parse(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164);

/* Of a number in E.164. Without libphonenumber always PHONE_MAY_BE_MOBILE. */
enum phone_kind phone_kind_of(struct slice e164);

/* Of a text that phone_parse refuses: whether no number was typed. There are no digits, or only a calling code, which forms
 * fill in. Without '+' that must be the one of `country_code`. */
MUST_CHECK bool phone_is_blank(struct pool *pool, struct slice number, struct slice country_code);

#endif
