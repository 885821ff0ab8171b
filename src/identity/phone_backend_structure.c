/* SPDX-License-Identifier: MIT
 * The build without libphonenumber: only the form is checked. phone.c counts the digits; country letters are not supported, and
 * a trunk prefix is not removed. */
#include "identity/phone_backend.h"

#include <stdio.h>
#include <string.h>

void
phone_backend_load(void)
{
}

unsigned
phone_backend_calling_code(const char *region)
{
	(void)region;
	return 0;
}

bool
phone_backend_is_calling_code(unsigned calling_code)
{
	return calling_code > 0 && calling_code < 1000;
}

enum phone_kind
phone_backend_kind(const char *e164)
{
	(void)e164;
	return PHONE_MAY_BE_MOBILE;
}

void
phone_backend_region(const char *calling_code, char region[3])
{
	(void)calling_code;
	region[0] = '\0';
}

bool
phone_backend_dialled(const char *region, const char *digits, char *international, size_t size)
{
	(void)region, (void)digits, (void)international, (void)size;
	return false;
}

bool
phone_backend_has_trunk(const char *region)
{
	(void)region;
	return true;
}

/* Italian numbers keep it. */
bool
phone_backend_drops_zero(const char *digits)
{
	return strncmp(digits, "39", 2) != 0;
}

enum phone_fit
phone_backend_best(void)
{
	return PHONE_POSSIBLE;
}

enum phone_fit
phone_backend_normalise(const char *international, char *e164, size_t size)
{
	const int written = snprintf(e164, size, "%s", international);
	return international[1] != '0' && written >= 0 && (size_t)written < size ? PHONE_POSSIBLE : PHONE_UNFIT;
}
