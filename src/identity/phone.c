/* SPDX-License-Identifier: MIT */
#include "identity/phone.h"

#include <string.h>

#include "identity/phone_backend.h"

enum { E164_SIZE = 1 + PHONE_DIGITS_MAX + 1, CALLING_CODE_MAX = 999 };

/* Separators that people put between digits. */
static const char separators[] = " -.()";

/* Adds the digits of `text`. False when it contains other characters than digits and separators, or too many digits. */
static bool
add_digits(char out[E164_SIZE], size_t *size, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c != '\0' && strchr(separators, c) != NULL)
			continue;
		if (!ascii_is_digit(c) || *size == E164_SIZE - 1)
			return false;
		out[(*size)++] = c;
	}
	out[*size] = '\0';
	return true;
}

/* The text after leading separators ("(+49) 171") and a '+', if there is one; *plus says whether there is. */
static struct slice
after_plus(struct slice text, bool *plus)
{
	size_t from = 0;
	while (from < text.size && text.data[from] != '\0' && strchr(separators, text.data[from]) != NULL)
		from++;
	*plus = from < text.size && text.data[from] == '+';
	return slice_sub(text, *plus ? from + 1 : from, text.size);
}

static bool
is_number(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!ascii_is_digit(text.data[i]))
			return false;
	return text.size > 0;
}

static bool
is_region(struct slice code)
{
	return code.size == 2 && ascii_is_alpha(code.data[0]) && ascii_is_alpha(code.data[1]);
}

/* Without white space and '+'. */
static struct slice
country_digits(struct slice country_code)
{
	const struct slice code = slice_trim(country_code);
	return slice_starts_with(code, SLICE("+")) ? slice_sub(code, 1, code.size) : code;
}

/* Whether it has the form of a country code, or is absent. */
static bool
is_country_code(struct slice country_code)
{
	const struct slice digits = country_digits(country_code);
	return slice_trim(country_code).size == 0 || is_region(slice_trim(country_code)) ||
	       (is_number(digits) && digits.size <= PHONE_COUNTRY_DIGITS_MAX);
}

/* Adds the calling code that `country_code` names. */
static bool
add_country(struct pool *pool, char out[E164_SIZE], size_t *size, struct slice country_code)
{
	const struct slice code = slice_trim(country_code);
	if (!is_region(code))
		return is_country_code(code) && add_digits(out, size, country_digits(code)) && *size > 1;
	const char region[] = { ascii_upper(code.data[0]), ascii_upper(code.data[1]), '\0' };
	const unsigned calling_code = phone_backend_calling_code(region);
	return calling_code != 0 && add_digits(out, size, pool_printf(pool, "%u", calling_code));
}

static bool
has_length(const char *international)
{
	const size_t digits = strlen(international) - 1;
	return digits >= PHONE_DIGITS_MIN && digits <= PHONE_DIGITS_MAX;
}

void
phone_load(void)
{
	phone_backend_load();
}

bool
phone_is_blank(struct pool *pool, struct slice number, struct slice country_code)
{
	char typed[E164_SIZE] = "+", country[E164_SIZE] = "+";
	size_t size = 1, country_size = 1;
	uint64_t code;
	bool plus;
	struct slice digits = after_plus(number, &plus);
	if (!add_digits(typed, &size, digits))
		return false;
	if (size == 1)
		return true;
	if (add_country(pool, country, &country_size, country_code) && strcmp(typed, country) == 0)
		return true;
	return plus && slice_to_u64(slice_of(typed + 1), CALLING_CODE_MAX, &code) &&
	       phone_backend_is_calling_code((unsigned)code);
}

bool
phone_parse(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164)
{
	char typed[E164_SIZE] = "+", normal[E164_SIZE];
	size_t size = 1;
	bool plus;
	struct slice digits = after_plus(number, &plus);
	if (!is_country_code(country_code) || (!plus && !add_country(pool, typed, &size, country_code)))
		return false;
	/* the length is checked again: without its trunk prefix the number may be too short */
	if (!add_digits(typed, &size, digits) || !has_length(typed) ||
	    !phone_backend_normalise(typed, normal, sizeof(normal)) || !has_length(normal))
		return false;
	*e164 = pool_copy(pool, slice_of(normal));
	return true;
}

enum phone_kind
phone_kind_of(struct slice e164)
{
	char text[E164_SIZE];
	if (e164.size >= sizeof(text))
		return PHONE_OTHER;
	memcpy(text, e164.data, e164.size);
	text[e164.size] = '\0';
	return phone_backend_kind(text);
}
