/* SPDX-License-Identifier: MIT
 * Numbering plans for phone.c: phone_shim.cc calls libphonenumber, phone_structure.c is for
 * the build without it. One of the two is linked. Read by C and by C++. */
#ifndef LEADHOOK_IDENTITY_PHONE_BACKEND_H
#define LEADHOOK_IDENTITY_PHONE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "identity/phone_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

void phone_backend_load(void);

/* The calling code of an ISO 3166 two-letter code in upper case, terminated ("DE" gives 49); 0 when it has none. */
unsigned phone_backend_calling_code(const char *region);

/* Whether numbers begin with this calling code. Without libphonenumber: any number of up to three digits. */
bool phone_backend_is_calling_code(unsigned calling_code);

/* Returns whether "+" and digits is a possible number, and writes its E.164 form, terminated. Returns false also when that
 * does not fit in `size` bytes. */
bool phone_backend_normalise(const char *international, char *e164, size_t size);

/* Of a number as above. */
enum phone_kind phone_backend_kind(const char *e164);

#ifdef __cplusplus
}
#endif

#endif
