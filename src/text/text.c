/* SPDX-License-Identifier: MIT */
#include "text/text.h"

#include "base/encode.h"
#include "base/language_tag.h"
#include "base/panic.h"
#include "text/catalogue.h"

struct slice
text_find(enum text_language language, enum text_key key)
{
	require(language < TEXT_LANGUAGES && key < TEXT_KEYS);
	return text_catalogue[language][key];
}

struct slice
text_number(struct pool *pool, enum text_language language, uint64_t number)
{
	char digits[DECIMAL_SIZE];
	const struct slice plain = encode_decimal(number, digits);
	struct slice pieces[DECIMAL_SIZE];
	size_t count = 0;
	for (size_t from = 0, to; from < plain.size; from = to) {
		to = from + ((plain.size - from) % 3 == 0 ? 3 : (plain.size - from) % 3);
		if (from > 0)
			pieces[count++] = text_find(language, TEXT_NUMBER_SEPARATOR);
		pieces[count++] = slice_sub(plain, from, to);
	}
	return pool_join(pool, pieces, count);
}

/* ---- languages ---- */

struct slice
text_language_code(enum text_language language)
{
	require(language < TEXT_LANGUAGES);
	return text_language_codes[language];
}

bool
text_language_parse(struct slice code, enum text_language *language)
{
	for (unsigned i = 0; i < TEXT_LANGUAGES; i++) {
		if (!slice_equal_nocase(code, text_language_codes[i]))
			continue;
		*language = (enum text_language)i;
		return true;
	}
	return false;
}

bool
text_language_match(struct slice tag, enum text_language *language)
{
	return text_language_parse(language_tag_language(tag), language);
}

enum text_language
text_language_first(const struct slice *tags, size_t count)
{
	enum text_language language;
	for (size_t i = 0; i < count; i++)
		if (slice_present(tags[i]) && text_language_match(tags[i], &language))
			return language;
	return TEXT_LANGUAGE_DEFAULT;
}

enum { WEIGHT_ONE = 1000, WEIGHT_DIGITS = 3 };

/* Parses "0", "0.7", "1.000" as thousandths. Returns false for anything that RFC 9110, 12.4.2 does not allow. */
static bool
parse_weight(struct slice text, unsigned *weight)
{
	struct slice fraction = slice_sub(text, 2, text.size);
	if (text.size == 0 || (text.data[0] != '0' && text.data[0] != '1') || fraction.size > WEIGHT_DIGITS ||
	    (text.size > 1 && text.data[1] != '.'))
		return false;
	unsigned value = text.data[0] == '1' ? WEIGHT_ONE : 0, digit = WEIGHT_ONE / 10;
	for (size_t i = 0; i < fraction.size; i++, digit /= 10) {
		if (!ascii_is_digit(fraction.data[i]))
			return false;
		value += (unsigned)(fraction.data[i] - '0') * digit;
	}
	*weight = value;
	return value <= WEIGHT_ONE;
}

/* Parses an item, "de-AT;q=0.7". Returns false if it names none of our languages, or its weight is invalid. */
static bool
parse_item(struct slice item, struct slice *tag, unsigned *weight)
{
	struct slice range, parameter;
	enum text_language language;
	*weight = WEIGHT_ONE;
	if (!slice_next(&item, ';', &range))
		return false;
	while (slice_next(&item, ';', &parameter)) {
		parameter = slice_trim(parameter);
		if (slice_starts_with_nocase(parameter, SLICE("q=")) &&
		    !parse_weight(slice_sub(parameter, 2, parameter.size), weight))
			return false;
	}
	*tag = slice_trim(range);
	return text_language_match(*tag, &language);
}

struct slice
text_language_accept(struct slice header)
{
	struct slice best = SLICE_NONE, tag, item;
	unsigned best_weight = 0, weight;
	while (slice_next(&header, ',', &item)) {
		if (!parse_item(item, &tag, &weight) || weight <= best_weight)
			continue;
		best = tag;
		best_weight = weight;
	}
	return best;
}

/* ---- placeholders ---- */

static bool
find_value(const struct text_value *values, size_t count, struct slice name, struct slice *value)
{
	for (size_t i = 0; i < count; i++) {
		if (!slice_equal(name, slice_of(values[i].name)))
			continue;
		*value = values[i].value;
		return true;
	}
	return false;
}

struct slice
text_fill(struct pool *pool, struct slice text, const struct text_value *values, size_t count)
{
	struct slice filled = SLICE(""), value;
	size_t done = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] != '{')
			continue;
		if (i + 1 < text.size && text.data[i + 1] == '{') {
			i++;
			continue;
		}
		const struct slice rest = slice_sub(text, i + 1, text.size);
		const struct slice name = slice_sub(rest, 0, slice_find(rest, '}'));
		if (name.size == rest.size || !find_value(values, count, name, &value))
			continue;
		filled = POOL_JOIN(pool, filled, slice_sub(text, done, i), value);
		i += name.size + 1;
		done = i + 1;
	}
	return POOL_JOIN(pool, filled, slice_sub(text, done, text.size));
}
