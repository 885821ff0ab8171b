/* SPDX-License-Identifier: MIT
 * A typed number becomes its digits, with or without an international prefix (phone_text.h). There are at most three ways to
 * read them beside a country; the numbering plans of the backend say which of them are numbers. */
#include "identity/phone.h"

#include <string.h>

#include "identity/phone_backend.h"
#include "identity/phone_text.h"
#include "identity/typed.h"

enum { E164_SIZE = 1 + PHONE_DIGITS_MAX + 1, CALLING_CODE_MAX = 999 };

/* One way to read the digits. */
struct reading {
	enum phone_fit fit;
	char e164[E164_SIZE];
};

/* ---- the country ---- */

struct country {
	bool given;
	char code[PHONE_COUNTRY_DIGITS_MAX +
		  1];   /* digits, which stand before a national number; "" with `given`: unknown letters */
	char region[3]; /* "" without libphonenumber */
};

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

/* Without what stands for the international prefix. */
static struct slice
country_digits(struct slice code)
{
	if (slice_starts_with(code, SLICE("00")))
		return slice_sub(code, 2, code.size);
	return slice_starts_with(code, SLICE("+")) ? slice_sub(code, 1, code.size) : code;
}

/* False when it has not the form of a country code, and is not empty. */
static bool
read_country(struct pool *pool, struct slice typed, struct country *country)
{
	const struct slice code = typed_clean(pool, typed), digits = country_digits(code);
	*country = (struct country){ .given = code.size > 0 };
	if (code.size == 0)
		return true;
	if (is_region(code)) {
		const char region[] = { ascii_upper(code.data[0]), ascii_upper(code.data[1]), '\0' };
		const unsigned calling_code = phone_backend_calling_code(region);
		memcpy(country->region, region, sizeof(region));
		if (calling_code != 0)
			strcpy(country->code, pool_printf(pool, "%u", calling_code).data);
		return true;
	}
	if (!is_number(digits) || digits.size > PHONE_COUNTRY_DIGITS_MAX)
		return false;
	memcpy(country->code, digits.data, digits.size);
	phone_backend_region(country->code, country->region);
	return true;
}

/* ---- readings ---- */

static bool
has_length(size_t digits)
{
	return digits >= PHONE_DIGITS_MIN && digits <= PHONE_DIGITS_MAX;
}

/* Of "+", a prefix and digits. */
static struct reading
read_international(struct pool *pool, const char *prefix, struct slice digits)
{
	struct reading reading = { .fit = PHONE_UNFIT };
	char normal[E164_SIZE];
	if (digits.size > PHONE_DIGITS_MAX || !has_length(strlen(prefix) + digits.size))
		return reading;
	reading.fit =
	    phone_backend_normalise(pool_printf(pool, "+%s%.*s", prefix, SLICE_ARGS(digits)).data, normal, sizeof(normal));
	/* without its trunk prefix the number may be too short */
	if (reading.fit != PHONE_UNFIT && !has_length(strlen(normal) - 1))
		reading.fit = PHONE_UNFIT;
	if (reading.fit != PHONE_UNFIT)
		memcpy(reading.e164, normal, sizeof(normal));
	return reading;
}

/* Without an international prefix. `zero` is that of struct phone_text: a 0 in brackets is dialled within the country alone,
 * and dropped where the number is better without it. Italy keeps it. */
static struct reading
read_coded(struct pool *pool, struct slice digits, size_t zero)
{
	const struct reading with = read_international(pool, "", digits);
	if (zero == 0 || with.fit == PHONE_VALID)
		return with;
	const struct slice without = POOL_JOIN(pool, slice_sub(digits, 0, zero - 1), slice_sub(digits, zero, digits.size));
	const struct reading other = read_international(pool, "", without);
	return other.fit > with.fit || phone_backend_drops_zero(without.data) ? other : with;
}

/* After an international prefix that is dialled in the country, or 00. */
static struct reading
read_prefixed(struct pool *pool, const struct country *country, const struct phone_text *text)
{
	const struct slice digits = slice_of(text->digits);
	struct reading reading = { .fit = PHONE_UNFIT };
	char international[E164_SIZE];
	if (phone_backend_dialled(country->region, text->digits, international, sizeof(international)))
		reading = read_international(pool, "", slice_of(international + 1));
	if (reading.fit == PHONE_UNFIT && slice_starts_with(digits, SLICE("00")))
		reading = read_coded(pool, slice_sub(digits, 2, digits.size), text->zero > 2 ? text->zero - 2 : 0);
	return reading;
}

static bool
is_same(const struct reading *one, const struct reading *other)
{
	return strcmp(one->e164, other->e164) == 0;
}

static bool
is_valid_mobile(const struct reading *reading)
{
	return reading->fit == PHONE_VALID && phone_backend_kind(reading->e164) == PHONE_MAY_BE_MOBILE;
}

/* docs/api.md 4.2: of the readings of a number without "+" beside a country. */
static enum phone_fault
choose(const struct country *country, const struct reading *prefixed, const struct reading *coded,
    const struct reading *national, struct reading *chosen)
{
	const enum phone_fit best = coded->fit > national->fit ? coded->fit : national->fit;
	if (prefixed->fit != PHONE_UNFIT && prefixed->fit >= best) {
		*chosen = *prefixed;
		return PHONE_GOOD;
	}
	if (best == PHONE_UNFIT)
		return PHONE_MALFORMED;
	if (coded->fit != national->fit || is_same(coded, national)) {
		*chosen = national->fit == best ? *national : *coded;
		return PHONE_GOOD;
	}
	/* plans know mobile numbers exactly, others roughly */
	const bool is_mobile = is_valid_mobile(national);
	if (is_valid_mobile(coded) == is_mobile && (best != PHONE_VALID || phone_backend_has_trunk(country->region)))
		return PHONE_AMBIGUOUS;
	*chosen = is_mobile || !is_valid_mobile(coded) ? *national : *coded;
	return PHONE_GOOD;
}

static enum phone_fault
read_beside(struct pool *pool, const struct country *country, const struct phone_text *text, struct reading *reading)
{
	const struct reading prefixed = read_prefixed(pool, country, text);
	struct reading coded = { .fit = PHONE_UNFIT }, national = coded;
	if (!country->given) {
		*reading = prefixed;
		return prefixed.fit == PHONE_UNFIT ? PHONE_WITHOUT_COUNTRY : PHONE_GOOD;
	}
	const bool known = country->code[0] != '\0';
	if (known && slice_starts_with(slice_of(text->digits), slice_of(country->code)))
		coded = read_coded(pool, slice_of(text->digits), text->zero);
	if (known)
		national = read_international(pool, country->code, slice_of(text->digits));
	return choose(country, &prefixed, &coded, &national, reading);
}

static enum phone_fault
read_text(struct pool *pool, const struct country *country, const struct phone_text *text, struct reading *reading)
{
	enum phone_fault fault = PHONE_GOOD;
	if (text->plus)
		*reading = read_coded(pool, slice_of(text->digits), text->zero);
	else
		fault = read_beside(pool, country, text, reading);
	if (fault == PHONE_GOOD && reading->fit == PHONE_UNFIT)
		fault = PHONE_MALFORMED;
	/* what was taken for an extension may be the rest of a number with a mistake */
	return fault == PHONE_GOOD && text->extension && reading->fit < phone_backend_best() ? PHONE_MALFORMED : fault;
}

/* "0171 1234567 / 030 7654321": what precedes the stroke is a number by itself, and what follows is long enough for another. */
static bool
are_several(struct pool *pool, const struct country *country, struct slice clean)
{
	const size_t stroke = slice_find_last(clean, '/');
	struct phone_text before, after;
	struct reading reading;
	return stroke < clean.size && phone_text_read(slice_sub(clean, stroke + 1, clean.size), &after) == PHONE_GOOD &&
	       strlen(after.digits) >= PHONE_SEVERAL_MIN &&
	       phone_text_read(slice_sub(clean, 0, stroke), &before) == PHONE_GOOD &&
	       read_text(pool, country, &before, &reading) == PHONE_GOOD && reading.fit == PHONE_VALID;
}

enum phone_fault
phone_read(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164)
{
	const struct slice clean = phone_text_clean(pool, number);
	struct phone_text text;
	struct country country;
	struct reading reading;
	if (!read_country(pool, country_code, &country))
		return PHONE_MALFORMED;
	enum phone_fault fault = phone_text_read(clean, &text);
	if (fault == PHONE_GOOD)
		fault = are_several(pool, &country, clean) ? PHONE_SEVERAL : read_text(pool, &country, &text, &reading);
	if (fault == PHONE_GOOD)
		*e164 = pool_copy(pool, slice_of(reading.e164));
	return fault;
}

bool
phone_parse(struct pool *pool, struct slice number, struct slice country_code, struct slice *e164)
{
	return phone_read(pool, number, country_code, e164) == PHONE_GOOD;
}

bool
phone_is_blank(struct pool *pool, struct slice number, struct slice country_code)
{
	struct phone_text text;
	struct country country;
	uint64_t code;
	if (phone_text_read(phone_text_clean(pool, number), &text) != PHONE_GOOD || text.extension)
		return false;
	if (text.digits[0] == '\0')
		return true;
	if (read_country(pool, country_code, &country) && strcmp(text.digits, country.code) == 0)
		return true;
	return text.plus && slice_to_u64(slice_of(text.digits), CALLING_CODE_MAX, &code) &&
	       phone_backend_is_calling_code((unsigned)code);
}

struct slice
phone_fault_text(enum phone_fault fault)
{
	static const struct slice texts[] = {
		[PHONE_MALFORMED] = SLICE("Phone number is not valid"),
		[PHONE_WITHOUT_COUNTRY] =
		    SLICE("Phone number is not valid: it has no calling code, such as +49, and no country is known"),
		[PHONE_AMBIGUOUS] =
		    SLICE("Phone number is not valid: it can be read with and without its calling code; write it with +"),
		[PHONE_ROUNDED] =
		    SLICE("Phone number is not valid: a spreadsheet has rounded it, and its last digits are lost"),
		[PHONE_SEVERAL] = SLICE("Phone number is not valid: these are several numbers"),
	};
	return texts[fault];
}

void
phone_load(void)
{
	phone_backend_load();
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
