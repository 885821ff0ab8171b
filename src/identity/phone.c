/* SPDX-License-Identifier: MIT */
#include "identity/phone.h"

#include <string.h>

#include "identity/phone_backend.h"

enum { E164_SIZE = 1 + PHONE_DIGITS_MAX + 1 };

/* What people put between digits. */
static const char ornaments[] = " -.()";

/* Adds the digits of `text`; false when there is something else than digits and ornaments, or too much of it. */
static bool
add_digits(char out[E164_SIZE], size_t *size, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c != '\0' && strchr(ornaments, c) != NULL)
			continue;
		if (!ascii_is_digit(c) || *size == E164_SIZE - 1)
			return false;
		out[(*size)++] = c;
	}
	out[*size] = '\0';
	return true;
}

/* Behind ornaments ("(+49) 171") and a '+' if there is one; *plus tells whether there is. */
static struct slice
after_plus(struct slice text, bool *plus)
{
	size_t from = 0;
	while (from < text.size && text.data[from] != '\0' && strchr(ornaments, text.data[from]) != NULL)
		from++;
	*plus = from < text.size && text.data[from] == '+';
	return slice_sub(text, *plus ? from + 1 : from, text.size);
}

/* Adds the calling code that `country_code` stands for. */
static bool
add_country(struct pool *pool, char out[E164_SIZE], size_t *size, struct slice country_code)
{
	struct slice code = slice_trim(country_code);
	if (code.size == 2 && ascii_is_alpha(code.data[0]) && ascii_is_alpha(code.data[1])) {
		const char region[] = { (char)(code.data[0] & ~0x20), (char)(code.data[1] & ~0x20), '\0' };
		unsigned calling_code = phone_backend_calling_code(region);
		return calling_code != 0 && add_digits(out, size, pool_printf(pool, "%u", calling_code));
	}
	bool plus;
	code = after_plus(code, &plus);
	return add_digits(out, size, code) && *size > 1;
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
phone_parse(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164)
{
	char typed[E164_SIZE] = "+", normal[E164_SIZE];
	size_t size = 1;
	bool plus;
	struct slice digits = after_plus(number, &plus);
	if (!plus && !add_country(pool, typed, &size, country_code))
		return false;
	/* looked at again afterwards: without its trunk prefix the number may have become too short */
	if (!add_digits(typed, &size, digits) || !has_length(typed) ||
	    !phone_backend_normalise(typed, normal, sizeof(normal)) || !has_length(normal))
		return false;
	*e164 = pool_copy(pool, slice_of(normal));
	return true;
}
