/* SPDX-License-Identifier: MIT
 * A typed number becomes its digits, with or without an international prefix (phone_text.h). With a country, there are at most
 * three ways to read them; the numbering plans of the backend say which of these are numbers. */
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
	char code[PHONE_COUNTRY_DIGITS_MAX + 1]; /* digits that precede a national number; "": none is known */
	char region[3];                          /* "" without libphonenumber */
};

static bool
is_region(struct slice code)
{
	return code.size == 2 && ascii_is_alpha(code.data[0]) && ascii_is_alpha(code.data[1]);
}

/* The digits of a country, without what stands for the international prefix, separate words, and the fraction that spreadsheets
 * add: "+49", "0049", "Germany (+49)", "1-242", "49.0". Empty for other texts, such as "U1", and the "-1" of lists in which
 * nothing was chosen. */
static struct slice
country_digits(struct pool *pool, struct slice code)
{
	char *digits = pool_bytes(pool, code.size);
	size_t count = 0;
	code.size -= slice_ends_with(code, SLICE(".0")) ? 2 : 0;
	for (size_t i = 0; i < code.size; i++) {
		const bool beside =
		    (i > 0 && ascii_is_digit(code.data[i - 1])) || (i + 1 < code.size && ascii_is_digit(code.data[i + 1]));
		if (ascii_is_digit(code.data[i]))
			digits[count++] = code.data[i];
		else if (beside && (ascii_is_alpha(code.data[i]) || code.data[i] == '.'))
			return SLICE("");
	}
	const struct slice all = { digits, slice_starts_with(code, SLICE("-")) ? 0 : count };
	return slice_starts_with(all, SLICE("00")) ? slice_sub(all, 2, count) : all;
}

static void
set_region(struct pool *pool, struct slice letters, struct country *country)
{
	const char typed[] = { ascii_upper(letters.data[0]), ascii_upper(letters.data[1]), '\0' };
	const char *region = strcmp(typed, "UK") == 0 ? "GB" : typed;
	const unsigned calling_code = phone_backend_calling_code(region);
	if (calling_code == 0)
		return;
	memcpy(country->region, region, sizeof(country->region));
	strcpy(country->code, pool_printf(pool, "%u", calling_code).data);
}

/* A text that names no country gives none. */
static struct country
read_country(struct pool *pool, struct slice typed)
{
	const struct slice code = typed_clean(pool, typed), digits = country_digits(pool, code);
	struct country country = { 0 };
	if (is_region(code))
		set_region(pool, code, &country);
	if (digits.size == 0 || digits.size > PHONE_COUNTRY_DIGITS_MAX)
		return country;
	memcpy(country.code, digits.data, digits.size);
	phone_backend_region(country.code, country.region);
	return country;
}

/* ---- readings ---- */

static bool
has_length(size_t digits)
{
	return digits >= PHONE_DIGITS_MIN && digits <= PHONE_DIGITS_MAX;
}

/* Reads "+", a prefix and digits. */
static struct reading
read_international(struct pool *pool, const char *prefix, struct slice digits)
{
	struct reading reading = { .fit = PHONE_UNFIT };
	char normal[E164_SIZE];
	reading.fit =
	    phone_backend_normalise(pool_printf(pool, "+%s%.*s", prefix, SLICE_ARGS(digits)).data, normal, sizeof(normal));
	/* the typed text may have more digits, such as trunk prefixes */
	if (reading.fit != PHONE_UNFIT && !has_length(strlen(normal) - 1))
		reading.fit = PHONE_UNFIT;
	if (reading.fit != PHONE_UNFIT)
		memcpy(reading.e164, normal, sizeof(normal));
	return reading;
}

/* Reads digits with a calling code. `zero` is as in struct phone_text: a 0 in brackets is dialled only within the country, and
 * dropped if the number fits better without it. Italy keeps it. */
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

/* Reads what follows an international prefix that is dialled in the country, or 00. */
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

/* docs/api.md 4.2: chooses among the ways to read a number without "+" in a country. */
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
	/* plans know mobile numbers exactly, other numbers only roughly */
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
	struct reading coded = { .fit = PHONE_UNFIT };
	if (country->code[0] == '\0') {
		*reading = prefixed;
		return prefixed.fit == PHONE_UNFIT ? PHONE_WITHOUT_COUNTRY : PHONE_GOOD;
	}
	if (slice_starts_with(slice_of(text->digits), slice_of(country->code)))
		coded = read_coded(pool, slice_of(text->digits), text->zero);
	const struct reading national = read_international(pool, country->code, slice_of(text->digits));
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
	/* what looked like an extension may be the rest of a mistyped number */
	return fault == PHONE_GOOD && text->extension && reading->fit < phone_backend_best() ? PHONE_MALFORMED : fault;
}

/* "0171 1234567 / 030 7654321": what precedes the slash is a number by itself, and what follows is long enough for another. */
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
	const struct country country = read_country(pool, country_code);
	struct phone_text text;
	struct reading reading;
	enum phone_fault fault = phone_text_read(clean, &text);
	if (fault == PHONE_GOOD)
		fault = are_several(pool, &country, clean) ? PHONE_SEVERAL : read_text(pool, &country, &text, &reading);
	if (fault == PHONE_GOOD)
		*e164 = pool_copy(pool, slice_of(reading.e164));
	return fault;
}

bool
phone_names_country(struct pool *pool, struct slice typed)
{
	return read_country(pool, typed).code[0] != '\0';
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
	uint64_t code;
	if (phone_text_read(phone_text_clean(pool, number), &text) != PHONE_GOOD || text.extension)
		return false;
	if (text.digits[0] == '\0')
		return true;
	if (strcmp(text.digits, read_country(pool, country_code).code) == 0)
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
