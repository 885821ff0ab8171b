/* SPDX-License-Identifier: MIT
 * Phone numbers (docs/api.md 4.2): normalized to E.164. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "identity/phone_kind.h"

/* Number of digits, including the calling code but not '+' (maximum: ITU-T E.164 6.2). */
enum { PHONE_DIGITS_MIN = 7, PHONE_DIGITS_MAX = 15 };
/* Digits of a country code. Some countries with code 1 are known by four digits, such as 1242. */
enum { PHONE_COUNTRY_DIGITS_MAX = 4 };

/* Loads the library's metadata (some megabytes) now rather than with the first number: a parent calls it before it forks, so
 * that its children share the memory. Optional. */
void phone_load(void);

enum phone_fault {
	PHONE_GOOD,
	PHONE_MALFORMED,
	PHONE_WITHOUT_COUNTRY,
	PHONE_AMBIGUOUS, /* both a national number and an international one without "+" */
	PHONE_ROUNDED,   /* by a spreadsheet */
	PHONE_SEVERAL
};

/* Reads a number as people write it (docs/api.md 4.2). `country_code` has up to PHONE_COUNTRY_DIGITS_MAX digits, or is an ISO
 * 3166 two-letter code in any case; any other text names no country. A number that begins with '+' needs no country. Otherwise
 * it begins with an international prefix that is dialled in that country, or with the country's calling code, or is national:
 * libphonenumber decides what is possible, and drops a national trunk prefix. Built without it, only the form is checked (7 to
 * 15 digits with the calling code, the first not 0) and two letters name no country. *e164 ("+" and digits, in the pool) is set
 * only if the number is good. */
MUST_CHECK enum phone_fault phone_read(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164);
/* Likewise, for callers that do not need the reason. */
MUST_CHECK bool phone_parse(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164);
/* Whether a `country_code` names a country. */
MUST_CHECK bool phone_names_country(struct pool *pool, struct slice typed);
/* A sentence for the person who typed the number, and one for whoever sent it. */
struct slice phone_fault_text(enum phone_fault fault);

/* The kind of an E.164 number. Without libphonenumber always PHONE_MAY_BE_MOBILE. */
enum phone_kind phone_kind_of(struct slice e164);

/* Whether a text that phone_parse refuses means that no number was typed: it has no digits, or only a calling code, which forms
 * fill in; without '+' this must be the one of `country_code`. */
MUST_CHECK bool phone_is_blank(struct pool *pool, struct slice number, struct slice country_code);
