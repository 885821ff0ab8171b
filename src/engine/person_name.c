/* SPDX-License-Identifier: MIT */
#include "engine/person_name.h"

#include <unictype.h>
#include <unigbrk.h>
#include <unistr.h>

#include "engine/custom_fields.h"

/* Returns the size of the first character; 0: there is none. The text is valid UTF-8, like all stored texts. */
static size_t
first_character(struct slice s, ucs4_t *character)
{
	*character = 0;
	const int size = s.size == 0 ? 0 : u8_mbtouc(character, (const uint8_t *)s.data, s.size);
	return size > 0 ? (size_t)size : 0;
}

static struct slice
first_present(struct slice a, struct slice b, struct slice c)
{
	return slice_present(a) ? a : slice_present(b) ? b : c;
}

struct person_name
person_name_of(struct pool *pool, const struct lead *lead)
{
	enum { WHOLE, FIRST, GIVEN, LAST, FAMILY, FIELDS };
	static const struct slice fields[FIELDS] = { SLICE("name"), SLICE("first_name"), SLICE("given_name"),
		SLICE("last_name"), SLICE("family_name") };
	struct slice texts[FIELDS];
	custom_fields_texts(pool, lead->custom_fields, fields, FIELDS, texts);
	size_t space = slice_find(texts[WHOLE], ' ');
	struct slice first = slice_sub(texts[WHOLE], 0, space),
		     rest = slice_trim(slice_sub(texts[WHOLE], space, texts[WHOLE].size));
	return (struct person_name){
		.given = first_present(texts[FIRST], texts[GIVEN], first.size > 0 ? first : SLICE_NONE),
		.family = first_present(texts[LAST], texts[FAMILY], rest.size > 0 ? rest : SLICE_NONE),
	};
}

struct slice
person_whole_name(struct pool *pool, const struct person_name *names)
{
	if (slice_present(names->given) && slice_present(names->family))
		return POOL_JOIN(pool, names->given, SLICE(" "), names->family);
	return slice_present(names->given) ? names->given : names->family;
}

struct slice
person_masked_name(struct pool *pool, const struct lead *lead)
{
	if (!slice_present(lead->email))
		return person_address_name(pool, lead);
	ucs4_t first;
	return POOL_JOIN(pool, slice_sub(lead->email, 0, first_character(lead->email, &first)), SLICE(NAME_MASK));
}

struct slice
person_address_name(struct pool *pool, const struct lead *lead)
{
	if (slice_present(lead->email))
		return slice_sub(lead->email, 0, slice_find_last(lead->email, '@'));
	struct slice phone = lead->phone;
	size_t tail = phone.size > 2 ? phone.size - 2 : 0;
	return POOL_JOIN(pool, slice_sub(phone, 0, 3), SLICE(NAME_MASK), slice_sub(phone, tail, phone.size));
}

struct slice
person_display_name(struct pool *pool, const struct lead *lead)
{
	const struct person_name names = person_name_of(pool, lead);
	const struct slice name = person_whole_name(pool, &names);
	return slice_present(name) ? name : person_address_name(pool, lead);
}

/* ---- what strangers see ---- */

const struct slice leaderboard_names[LEADERBOARD_NAMES] = {
	[LEADERBOARD_INITIAL] = SLICE("initial"),
	[LEADERBOARD_FIRST] = SLICE("first"),
	[LEADERBOARD_FULL] = SLICE("full"),
};

/* Splits at white space of any script, and skips words without a letter. */
static bool
next_word(struct slice *rest, struct slice *word)
{
	ucs4_t character;
	size_t end = 0, size;
	bool has_letter = false;
	while ((size = first_character(slice_sub(*rest, end, rest->size), &character)) > 0) {
		if (!uc_is_property_white_space(character)) {
			has_letter = has_letter || uc_is_property_alphabetic(character);
			end += size;
			continue;
		}
		if (has_letter)
			break;
		*rest = slice_sub(*rest, end + size, rest->size);
		end = 0;
	}
	*word = slice_sub(*rest, 0, end);
	*rest = slice_sub(*rest, end, rest->size);
	return has_letter;
}

/* The first letter with its marks: what readers see as one character. */
static struct slice
initial(struct slice word)
{
	ucs4_t character;
	size_t from = 0, size;
	while (
	    (size = first_character(slice_sub(word, from, word.size), &character)) > 0 && !uc_is_property_alphabetic(character))
		from += size;
	const uint8_t *begin = (const uint8_t *)word.data + from, *end = (const uint8_t *)word.data + word.size;
	const uint8_t *next = u8_grapheme_next(begin, end);
	return slice_sub(word, from, next == NULL ? word.size : (size_t)(next - (const uint8_t *)word.data));
}

/* Chinese, Japanese, Korean and their neighbours: a word may be a whole name. */
static bool
joins_names(struct slice word)
{
	ucs4_t character;
	(void)first_character(word, &character);
	return (character >= 0x2e80 && character <= 0xd7ff) || (character >= 0xf900 && character <= 0xfaff) ||
	       (character >= 0x20000 && character <= 0x3ffff);
}

struct slice
short_name(struct pool *pool, struct slice given, struct slice family, enum leaderboard_names how)
{
	struct slice first, word, last = SLICE_NONE;
	const bool has_first = next_word(&given, &first);
	while (next_word(&given, &word))
		last = word;
	while (next_word(&family, &word))
		last = word;
	if (!has_first)
		return slice_present(last) ? POOL_JOIN(pool, initial(last), SLICE(".")) : SLICE_NONE;
	if (!slice_present(last) && joins_names(first) && initial(first).size < first.size)
		return POOL_JOIN(pool, initial(first), SLICE(NAME_MASK));
	return how == LEADERBOARD_FIRST || !slice_present(last) ? pool_copy(pool, first)
								: POOL_JOIN(pool, first, SLICE(" "), initial(last), SLICE("."));
}
