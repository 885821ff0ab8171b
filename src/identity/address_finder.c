/* SPDX-License-Identifier: MIT
 * A text is read as it is, and with its escapes undone, as often as escapes can be nested: a URL in JSON, JSON in a form, a URL
 * in a URL. Each reading becomes an array of characters, which one loop passes over. An address is compared wherever one may
 * begin: each comparison ends at the first difference, or after the length of the address, which is small. */
#include "identity/address_finder.h"

#include <stdint.h>
#include <string.h>

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/utf8.h"
#include "identity/email.h"
#include "identity/typed.h"

/* `escaped`: it was written by its number, as in %2F and \u002f. */
struct character {
	uint32_t code : 31;
	uint32_t escaped : 1;
};

#define PLAIN(code) ((struct character){ (code)&0x7fffffff, 0 })
#define ESCAPED(code) ((struct character){ (code)&0x7fffffff, 1 })

struct decoded {
	struct character *characters;
	size_t count;
};

/* A spelling of the address; each letter in all cases that mean the same address (identity/email.h). */
struct spelled {
	uint32_t *lower, *upper;
	size_t count;
	struct slice word; /* its longest run of ASCII letters and digits, which nothing escapes, in lower case */
};

/* Unicode normal forms: characters composed, and decomposed. */
enum { FORMS = 2 };

struct address_finder {
	struct spelled spellings[FORMS * FINDER_SPELLINGS_MAX];
	size_t count;
	struct slice key;    /* the key of an email address, as email_parse makes it */
	struct slice digits; /* the digits of a number; absent: it is an email address */
};

/* ---- texts ---- */

enum { NO_CHARACTER = 0xfffd };

static struct decoded
read_text(struct pool *pool, struct slice text)
{
	struct decoded decoded = { POOL_ARRAY(pool, text.size, struct character), 0 };
	for (uint32_t code; text.size > 0;) {
		const unsigned char byte = (unsigned char)text.data[0];
		if (byte < 0x80 || !utf8_next(&text, &code)) {
			code = byte < 0x80 ? byte : NO_CHARACTER;
			text = slice_sub(text, 1, text.size);
		}
		decoded.characters[decoded.count++] = PLAIN(code);
	}
	return decoded;
}

/* The hexadecimal number with this many digits at a place; -1: there is none. */
static int32_t
number_at(const struct decoded *decoded, size_t at, unsigned digits)
{
	int32_t number = 0;
	if (decoded->count < at || decoded->count - at < digits)
		return -1;
	for (unsigned i = 0; i < digits; i++) {
		const uint32_t code = decoded->characters[at + i].code;
		const int digit = code < 0x80 ? ascii_hex_digit((char)code) : -1;
		if (digit < 0)
			return -1;
		number = number * 16 + digit;
	}
	return number;
}

static int32_t
json_unit_at(const struct decoded *decoded, size_t at)
{
	return at + 1 < decoded->count && decoded->characters[at].code == '\\' && decoded->characters[at + 1].code == 'u'
		   ? number_at(decoded, at + 2, 4)
		   : -1;
}

/* Returns how many characters the escape at a place has, and sets *character to what it stands for. 0: there is none. */
static size_t
json_escape(const struct decoded *decoded, size_t at, struct character *character)
{
	static const char letters[] = "bfnrt\"\\/", meanings[] = "\b\f\n\r\t\"\\/";
	const int32_t unit = json_unit_at(decoded, at),
		      low = unit >= 0xd800 && unit < 0xdc00 ? json_unit_at(decoded, at + 6) : -1;
	if (low >= 0xdc00 && low < 0xe000) {
		*character = ESCAPED((uint32_t)(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
		return 12;
	}
	if (unit >= 0) {
		*character = ESCAPED((uint32_t)unit);
		return 6;
	}
	if (at + 1 >= decoded->count || decoded->characters[at].code != '\\')
		return 0;
	const uint32_t letter = decoded->characters[at + 1].code;
	const char *found = letter > 0 && letter < 0x80 ? strchr(letters, (int)letter) : NULL;
	if (found == NULL)
		return 0;
	*character = PLAIN((unsigned char)meanings[found - letters]);
	return 2;
}

/* Likewise for the sequence of %XX that encodes a UTF-8 character. */
static size_t
percent_escape(const struct decoded *decoded, size_t at, struct character *character)
{
	char bytes[4];
	size_t count = 0;
	for (int32_t byte; count < sizeof(bytes) && at + 3 * count < decoded->count &&
			   decoded->characters[at + 3 * count].code == '%' &&
			   (byte = number_at(decoded, at + 3 * count + 1, 2)) >= 0;)
		bytes[count++] = (char)byte;
	if (count == 0)
		return 0;
	struct slice rest = { bytes, count };
	uint32_t code;
	const bool valid = utf8_next(&rest, &code);
	*character = ESCAPED(valid ? code : NO_CHARACTER);
	return valid ? 3 * (count - rest.size) : 3;
}

typedef size_t escape(const struct decoded *decoded, size_t at, struct character *character);

/* Undoes escapes of one kind. Returns false when there are none. */
static bool
undo(struct pool *pool, const struct decoded *decoded, escape *find, struct decoded *undone)
{
	bool found = false;
	*undone = (struct decoded){ POOL_ARRAY(pool, decoded->count, struct character), 0 };
	for (size_t at = 0; at < decoded->count;) {
		struct character *character = &undone->characters[undone->count++];
		const size_t size = find(decoded, at, character);
		found = found || size > 0;
		if (size == 0)
			*character = decoded->characters[at];
		at += size > 0 ? size : 1;
	}
	return found;
}

/* ---- email addresses ---- */

static bool
is_one_of(uint32_t code, const char *characters)
{
	return code < 0x80 && ascii_is_any((char)code, characters);
}

static bool
is_word(uint32_t code)
{
	if (code < 0x80)
		return ascii_is_alpha((char)code) || ascii_is_digit((char)code);
	return uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N);
}

static bool
is_in_addresses(uint32_t code)
{
	return is_word(code) || is_one_of(code, ".!#$%&'*+/=?^_`{|}~-");
}

/* What precedes a place. */
struct before {
	bool name;  /* the name of a form field: it begins the text or follows "&" */
	bool value; /* such a name and "=" */
	bool url;   /* in a URL */
};

/* Whether the characters up to a place end with a lower-case ASCII text. */
static bool
ends_with(const struct decoded *decoded, size_t at, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		const uint32_t code = i <= at ? decoded->characters[at - i].code : NO_CHARACTER;
		if (code >= 0x80 || ascii_lower((char)code) != text.data[text.size - 1 - i])
			return false;
	}
	return true;
}

static bool
ends_scheme(const struct decoded *decoded, size_t at)
{
	return ends_with(decoded, at, SLICE("http://")) || ends_with(decoded, at, SLICE("https://"));
}

/* Moves past the character at a place. */
static void
go_on(struct before *before, const struct decoded *decoded, size_t at)
{
	const struct character c = decoded->characters[at];
	const bool ends = !c.escaped && is_one_of(c.code, " \t\n\v\f\r\""), ends_url = !c.escaped && is_one_of(c.code, "<>");
	before->value = c.code == '=' && before->name;
	before->name = c.code == '&' || (before->name && c.code != '=' && !ends);
	before->url = (before->url && !ends && !ends_url) || (c.code == '/' && ends_scheme(decoded, at));
}

/* Whether an address may begin here: the character before cannot be part of an address, or it is an escaped delimiter, or the
 * place is in a URL or is the value of a field. */
static bool
may_begin(const struct before *before, const struct decoded *decoded, size_t at)
{
	if (at == 0 || before->value)
		return true;
	const struct character c = decoded->characters[at - 1];
	return !is_in_addresses(c.code) || (c.escaped && is_one_of(c.code, "&/=?")) ||
	       (before->url && is_one_of(c.code, "/?&=;,:"));
}

static bool
may_end(const struct decoded *decoded, size_t at)
{
	if (at == decoded->count)
		return true;
	const uint32_t next = decoded->characters[at].code;
	if (next == '.')
		return at + 1 == decoded->count || !is_word(decoded->characters[at + 1].code);
	return !is_word(next) && next != '-';
}

static bool
is_at(const struct spelled *spelling, const struct decoded *decoded, size_t at)
{
	size_t same = 0;
	while (same < spelling->count && at + same < decoded->count &&
	       (decoded->characters[at + same].code == spelling->lower[same] ||
		   decoded->characters[at + same].code == spelling->upper[same]))
		same++;
	return same == spelling->count;
}

static bool
in_apostrophes(const struct decoded *decoded, size_t at, size_t end)
{
	return at > 0 && end < decoded->count && decoded->characters[at - 1].code == '\'' &&
	       decoded->characters[end].code == '\'';
}

static bool
has_email(const struct address_finder *finder, const struct decoded *decoded)
{
	struct before before = { .name = true };
	for (size_t at = 0; at < decoded->count; at++) {
		const bool begins = may_begin(&before, decoded, at);
		for (size_t i = 0; i < finder->count; i++) {
			const size_t end = at + finder->spellings[i].count;
			if (begins ? is_at(&finder->spellings[i], decoded, at) && may_end(decoded, end)
				   : in_apostrophes(decoded, at, end) && is_at(&finder->spellings[i], decoded, at))
				return true;
		}
		go_on(&before, decoded, at);
	}
	return false;
}

/* ---- numbers ---- */

static bool
is_digit(uint32_t code)
{
	return code >= '0' && code <= '9';
}

static bool
is_separator(uint32_t code)
{
	return is_one_of(code, " ()./+-");
}

static bool
has_digits_at(struct slice digits, const struct decoded *decoded, size_t at)
{
	size_t same = 0;
	for (; same < digits.size && at < decoded->count; at++) {
		const uint32_t code = decoded->characters[at].code;
		if (code == (uint32_t)digits.data[same])
			same++;
		else if (!is_separator(code))
			return false;
	}
	return same == digits.size && (at == decoded->count || !is_digit(decoded->characters[at].code));
}

/* A number must be international, with "+" or "00": without these, digits may be anything. It is compared once for each digit
 * that follows one of these, so that a long run of separators is passed only once. */
static bool
has_phone(const struct address_finder *finder, const struct decoded *decoded)
{
	bool begins = false;
	for (size_t at = 0; at < decoded->count; at++) {
		const struct character *c = &decoded->characters[at];
		if (is_digit(c->code)) {
			if (begins && has_digits_at(finder->digits, decoded, at))
				return true;
			begins = c->code == '0' && at >= 1 && c[-1].code == '0' && (at == 1 || !is_digit(c[-2].code));
		} else
			begins = c->code == '+' || (begins && is_separator(c->code));
	}
	return false;
}

/* ---- finders ---- */

static struct slice
longest_word(struct pool *pool, struct slice text)
{
	size_t longest = 0, end = 0, size = 0;
	for (size_t i = 0; i < text.size; i++) {
		size = ascii_is_alpha(text.data[i]) || ascii_is_digit(text.data[i]) ? size + 1 : 0;
		if (size > longest) {
			longest = size;
			end = i + 1;
		}
	}
	return pool_copy_lower(pool, slice_sub(text, end - longest, end));
}

/* Case does not matter in a domain; in a local part, it matters only for non-ASCII letters. */
static void
add_spelling(struct pool *pool, struct address_finder *finder, struct slice text)
{
	struct spelled *spelling = &finder->spellings[finder->count++];
	const char *domain = text.data + slice_find(text, '@');
	*spelling = (struct spelled){ .lower = POOL_ARRAY(pool, text.size, uint32_t),
		.upper = POOL_ARRAY(pool, text.size, uint32_t),
		.word = longest_word(pool, text) };
	for (uint32_t code; utf8_next(&text, &code); spelling->count++) {
		const ucs4_t lower = uc_tolower(code), upper = uc_toupper(code);
		/* the capital of a dotless i is also the capital of an i */
		const bool folds = (code < 0x80 || text.data > domain) && uc_tolower(upper) == lower;
		spelling->lower[spelling->count] = folds ? lower : code;
		spelling->upper[spelling->count] = folds ? upper : code;
	}
}

struct address_finder *
address_finder_of_email(struct pool *pool, const struct slice *spellings, size_t count)
{
	struct address_finder *finder = POOL_NEW(pool, struct address_finder);
	struct email email;
	for (size_t i = 0; i < count && i < FINDER_SPELLINGS_MAX; i++) {
		if (spellings[i].size == 0)
			continue;
		const struct slice composed = typed_normalized(pool, UNINORM_NFC, spellings[i]),
				   decomposed = typed_normalized(pool, UNINORM_NFD, spellings[i]);
		if (!slice_present(finder->key) && email_parse(pool, spellings[i], &email))
			finder->key = email.key;
		add_spelling(pool, finder, composed);
		if (!slice_equal(composed, decomposed))
			add_spelling(pool, finder, decomposed);
	}
	return finder;
}

struct address_finder *
address_finder_of_phone(struct pool *pool, struct slice number)
{
	struct address_finder *finder = POOL_NEW(pool, struct address_finder);
	finder->digits = pool_copy(pool, slice_sub(number, slice_starts_with(number, SLICE("+")) ? 1 : 0, number.size));
	return finder;
}

static bool
is_email(const struct address_finder *finder, struct slice value)
{
	struct pool *pool = pool_new();
	struct email email;
	const bool found = email_parse(pool, value, &email) && slice_equal(email.key, finder->key);
	pool_free(&pool);
	return found;
}

bool
address_finder_is(const struct address_finder *finder, struct slice value)
{
	if (!slice_present(finder->digits))
		return value.size > 0 && value.size <= EMAIL_TYPED_MAX && is_email(finder, value);
	return slice_equal(slice_sub(value, slice_starts_with(value, SLICE("+")) ? 1 : 0, value.size), finder->digits);
}

/* Whether the text may contain the address: a cheap test that few texts pass. */
static bool
may_have(const struct address_finder *finder, struct slice text)
{
	bool may = slice_present(finder->digits) && text.size > finder->digits.size;
	for (size_t i = 0; i < finder->count && !may; i++)
		may = slice_contains_nocase(text, finder->spellings[i].word);
	return may;
}

/* Escapes may be nested this deep, as those of a URL in a URL in a form. With two kinds of escapes, at most 15 texts are
 * searched. */
enum { ESCAPES_WITHIN = 3 };

static bool
has_within(const struct address_finder *finder, const struct decoded *decoded, unsigned depth)
{
	static escape *const escapes[] = { json_escape, percent_escape };
	bool found = slice_present(finder->digits) ? has_phone(finder, decoded) : has_email(finder, decoded);
	for (size_t i = 0; i < ARRAY_SIZE(escapes) && !found && depth > 0; i++) {
		struct pool *pool = pool_new();
		struct decoded undone;
		found = undo(pool, decoded, escapes[i], &undone) && has_within(finder, &undone, depth - 1);
		pool_free(&pool);
	}
	return found;
}

bool
address_finder_finds(const struct address_finder *finder, struct slice text)
{
	if (!may_have(finder, text))
		return false;
	struct pool *pool = pool_new();
	const struct decoded plain = read_text(pool, text);
	const bool found = has_within(finder, &plain, ESCAPES_WITHIN);
	pool_free(&pool);
	return found;
}
