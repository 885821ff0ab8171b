/* SPDX-License-Identifier: MIT */
#include "engine/short_name.h"

#include <stdbool.h>
#include <unictype.h>
#include <unigbrk.h>
#include <unistr.h>

const struct slice leaderboard_names[LEADERBOARD_NAMES] = {
	[LEADERBOARD_INITIAL] = SLICE("initial"),
	[LEADERBOARD_FIRST] = SLICE("first"),
	[LEADERBOARD_FULL] = SLICE("full"),
};

/* The character at the beginning, which is valid UTF-8, as all stored texts; its size. */
static size_t
character_at(struct slice s, ucs4_t *character)
{
	*character = 0;
	const int size = s.size == 0 ? 0 : u8_mbtouc(character, (const uint8_t *)s.data, s.size);
	return size > 0 ? (size_t)size : 0;
}

/* Splits at white space of any script, and skips words without a letter. */
static bool
next_word(struct slice *rest, struct slice *word)
{
	ucs4_t character;
	size_t end = 0, size;
	bool has_letter = false;
	while ((size = character_at(slice_sub(*rest, end, rest->size), &character)) > 0) {
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
	while ((size = character_at(slice_sub(word, from, word.size), &character)) > 0 && !uc_is_property_alphabetic(character))
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
	(void)character_at(word, &character);
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
