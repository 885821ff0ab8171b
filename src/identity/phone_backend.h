/* SPDX-License-Identifier: MIT
 * Numbering plans, for phone.c. There are two implementations, one of which is linked: phone_backend_library.cc calls
 * libphonenumber, phone_backend_structure.c checks only the structure. Valid C and C++. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "identity/phone_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How well digits fit the numbering plan. Without libphonenumber, nothing is known to be valid. */
enum phone_fit { PHONE_UNFIT, PHONE_POSSIBLE, PHONE_VALID };

void phone_backend_load(void);

/* The calling code of an ISO 3166 two-letter code in upper case, terminated ("DE" gives 49); 0 when it has none. */
unsigned phone_backend_calling_code(const char *region);

/* Whether numbers begin with this calling code. Without libphonenumber: any number of up to three digits. */
bool phone_backend_is_calling_code(unsigned calling_code);

/* The region whose rules apply to numbers that begin with this calling code, terminated; "" when none is known. */
void phone_backend_region(const char *calling_code, char region[3]);

/* Whether the digits begin with an international prefix that is dialled in the region ("011" in US); writes "+" and digits, as
 * phone_backend_normalise needs them. */
bool phone_backend_dialled(const char *region, const char *digits, char *international, size_t size);

/* Whether numbers there are normally written with a trunk prefix that is not a calling code ("0" in DE). */
bool phone_backend_has_trunk(const char *region);

/* Whether a 0 in brackets after the calling code at the beginning of the digits can always be dropped. */
bool phone_backend_drops_zero(const char *digits);

/* The best fit that phone_backend_normalise can report. */
enum phone_fit phone_backend_best(void);

/* Judges "+" and digits. Unless they are unfit, writes their E.164 form, terminated. They are also unfit if that does not fit
 * in `size` bytes. */
enum phone_fit phone_backend_normalise(const char *international, char *e164, size_t size);

/* The kind of an E.164 number. */
enum phone_kind phone_backend_kind(const char *e164);

#ifdef __cplusplus
}
#endif
