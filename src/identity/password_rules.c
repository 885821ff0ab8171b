/* SPDX-License-Identifier: MIT
 * Common passwords are not a list of leaked ones: nearly all leaked passwords with twelve characters are one or two words of a
 * small set, with digits, signs and letters replaced by similar ones. The words below were written for this program from such
 * patterns. */
#include "identity/password_rules.h"

#include <string.h>

enum {
	LEFT_MIN = 8,      /* characters that a password must have in addition to personal words */
	WORD_MIN = 4,      /* shorter words of a user are not searched for */
	DIFFERENT_MIN = 5, /* how many different characters a password must have */
	WORDS_MAX = 2      /* how many words a common password consists of */
};

/* Lower-case letters. */
static const char *const words[] = { "access", "account", "admin", "administrator", "amanda", "andrea", "andrew", "angel",
	"apple", "april", "arsenal", "asdf", "asdfgh", "asdfghjkl", "august", "autumn", "baby", "banana", "baseball",
	"basketball", "batman", "beautiful", "berlin", "blink", "bonjour", "buster", "butterfly", "camaro", "change",
	"changeme", "charlie", "cheese", "chelsea", "chocolate", "company", "computer", "cookie", "cowboys", "daniel",
	"december", "default", "demo", "diamond", "dragon", "eagles", "einstein", "email", "family", "february", "ferrari",
	"flower", "football", "forever", "freedom", "friday", "friend", "friends", "geheim", "george", "ginger", "google",
	"guest", "hallo", "hannah", "harley", "hello", "herbst", "hockey", "hunter", "iloveyou", "internet", "january",
	"jasmine", "jennifer", "jessica", "jesus", "jordan", "joshua", "juli", "juni", "july", "june", "justin", "killer",
	"letmein", "liverpool", "login", "london", "love", "lovely", "loveme", "loveyou", "lucky", "maggie", "manager", "march",
	"marina", "marketing", "martin", "master", "matthew", "maverick", "mercedes", "merlin", "michael", "michelle", "mickey",
	"minecraft", "monday", "money", "monkey", "mother", "motdepasse", "mustang", "mypassword", "naruto", "newyork",
	"nicole", "ninja", "november", "october", "office", "oktober", "orange", "pass", "passw", "password", "passwort",
	"passwords", "pepper", "phoenix", "player", "please", "pokemon", "princess", "private", "public", "purple", "qazwsx",
	"qwer", "qwert", "qwertz", "qwerty", "qwertyui", "qwertyuiop", "qwertzuiop", "rainbow", "ranger", "robert", "root",
	"samantha", "samsung", "saturday", "schalke", "schatz", "secret", "secure", "security", "september", "server",
	"service", "shadow", "silver", "slipknot", "snoopy", "soccer", "sommer", "sophie", "spider", "spiderman", "spring",
	"starwars", "steelers", "summer", "sunday", "sunshine", "superman", "support", "system", "taylor", "temp", "tennis",
	"test", "testing", "thomas", "thunder", "thursday", "tigger", "tigers", "trustno", "tuesday", "user", "viking",
	"wednesday", "welcome", "welcometo", "whatever", "william", "willkommen", "winner", "winter", "work", "yankees",
	"yellow", "zaq", "zxcv", "zxcvbn", "zxcvbnm" };

static const char *const rows[] = { "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "asdfghjkl",
	"zxcvbnm", "yxcvbnm", "1qaz2wsx3edc4rfv5tgb", "!@#$%^&*()", "!\"$%&/()=" };

/* ---- monotonous ---- */

static size_t
count_different_bytes(struct slice text)
{
	bool seen[256] = { false };
	size_t count = 0;
	for (size_t i = 0; i < text.size; i++) {
		count += seen[(unsigned char)text.data[i]] ? 0 : 1;
		seen[(unsigned char)text.data[i]] = true;
	}
	return count;
}

/* Whether it is one text repeated. */
static bool
is_repeated(struct slice text)
{
	for (size_t period = 1; period <= text.size / 2; period++)
		if (text.size % period == 0 && memcmp(text.data, text.data + period, text.size - period) == 0)
			return true;
	return false;
}

/* Whether one character follows the other on a row of the keyboard or in the alphabet, in either direction. */
static bool
are_neighbours(char a, char b)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (const char *at = rows[i]; at[1] != '\0'; at++)
			if ((at[0] == a && at[1] == b) || (at[0] == b && at[1] == a))
				return true;
	return a == b;
}

/* Whether it is a sequence, with at most one break in four characters. */
static bool
is_sequence(struct slice text)
{
	size_t neighbours = 0;
	for (size_t i = 1; i < text.size; i++)
		neighbours += are_neighbours(text.data[i - 1], text.data[i]) ? 1 : 0;
	return neighbours >= (text.size - 1) * 3 / 4;
}

/* ---- words ---- */

/* Marks every occurrence of the word, in lower case, in the text. */
static void
mark_word(struct slice text, struct slice word, bool *marks)
{
	if (word.size < WORD_MIN)
		return;
	for (size_t at = 0; at + word.size <= text.size; at++)
		if (memcmp(text.data + at, word.data, word.size) == 0)
			memset(marks + at, true, word.size);
}

/* Likewise for a whole text and for each of its words, which are separated by anything but letters and digits. */
static void
mark_words(struct pool *pool, struct slice text, struct slice source, bool *marks)
{
	const struct slice lower = pool_copy_lower(pool, source);
	size_t from = 0;
	mark_word(text, lower, marks);
	for (size_t to = 0; to <= lower.size; to++) {
		const struct slice next = slice_sub(lower, to, to + 1);
		if (next.size > 0 && (!slice_is_ascii(next) || slice_is_alnum(next, "")))
			continue;
		mark_word(text, slice_sub(lower, from, to), marks);
		from = to + 1;
	}
}

static bool
is_personal(struct pool *pool, struct slice lower, const struct password_context *context)
{
	bool *marks = POOL_ARRAY(pool, lower.size, bool);
	size_t left = 0;
	mark_words(pool, lower, context->email, marks);
	mark_words(pool, lower, context->name, marks);
	mark_words(pool, lower, context->host, marks);
	mark_word(lower, SLICE("leadhook"), marks);
	for (size_t i = 0; i < lower.size; i++)
		left += marks[i] ? 0 : 1;
	return left < LEFT_MIN;
}

/* The letters of a password; digits and signs become the letters that they stand for. Those at its end are dropped. */
static struct slice
letters_of(struct pool *pool, struct slice lower)
{
	static const char signs[] = "01345789@$!|+", meant[] = "oieasbbgasilt";
	char *out = pool_bytes(pool, lower.size + 1);
	size_t size = 0, end = lower.size;
	while (end > 0 && !ascii_is_alpha(lower.data[end - 1]))
		end--;
	for (size_t i = 0; i < end; i++) {
		const char *sign = memchr(signs, lower.data[i], sizeof(signs) - 1);
		const bool inside = size > 0;
		if (ascii_is_alpha(lower.data[i]))
			out[size++] = lower.data[i];
		else if (sign != NULL && inside)
			out[size++] = meant[sign - signs];
	}
	return (struct slice){ out, size };
}

static struct slice
only_letters(struct pool *pool, struct slice lower)
{
	char *out = pool_bytes(pool, lower.size + 1);
	size_t size = 0;
	for (size_t i = 0; i < lower.size; i++)
		if (ascii_is_alpha(lower.data[i]))
			out[size++] = lower.data[i];
	return (struct slice){ out, size };
}

static bool
consists_of_words(struct slice letters, unsigned count)
{
	if (letters.size == 0)
		return true;
	for (size_t i = 0; count > 0 && i < ARRAY_SIZE(words); i++) {
		const struct slice word = slice_of(words[i]);
		if (slice_starts_with(letters, word) &&
		    consists_of_words(slice_sub(letters, word.size, letters.size), count - 1))
			return true;
	}
	return false;
}

/* A text with non-ASCII characters is not in the list. */
static bool
is_common(struct pool *pool, struct slice lower)
{
	const struct slice letters = only_letters(pool, lower);
	return slice_is_ascii(lower) && letters.size > 0 &&
	       (consists_of_words(letters, WORDS_MAX) || consists_of_words(letters_of(pool, lower), WORDS_MAX));
}

enum password_verdict
password_judge(struct pool *pool, struct slice password, const struct password_context *context)
{
	if (password.size < PASSWORD_MIN)
		return PASSWORD_TOO_SHORT;
	if (password.size > PASSWORD_MAX)
		return PASSWORD_TOO_LONG;
	const struct slice lower = pool_copy_lower(pool, password);
	if (count_different_bytes(lower) < DIFFERENT_MIN || is_repeated(lower) || is_sequence(lower))
		return PASSWORD_MONOTONOUS;
	if (is_personal(pool, lower, context))
		return PASSWORD_PERSONAL;
	return is_common(pool, lower) ? PASSWORD_COMMON : PASSWORD_FITS;
}

struct slice
password_verdict_text(enum password_verdict verdict)
{
	static const struct slice texts[] = {
		[PASSWORD_FITS] = SLICE("The password can be used"),
		[PASSWORD_TOO_SHORT] = SLICE("A password has at least 12 characters"),
		[PASSWORD_TOO_LONG] = SLICE("A password has at most 1024 bytes"),
		[PASSWORD_MONOTONOUS] = SLICE("The password repeats itself, or is a sequence"),
		[PASSWORD_PERSONAL] =
		    SLICE("The password is little more than the name or address of the user or of the service"),
		[PASSWORD_COMMON] = SLICE("The password is one that many people use"),
	};
	return texts[verdict];
}
