/* SPDX-License-Identifier: MIT */
#include "identity/phone_text.h"

#include <string.h>
#include <unictype.h>

#include "base/utf8.h"
#include "identity/typed.h"

/* ---- characters ---- */

/* Non-ASCII signs that people put between digits, and a zero. */
static const struct {
	uint32_t sign;
	char ascii;
} signs[] = { { 0x00b7, '.' }, { 0x2027, '.' }, { 0x2219, '.' }, { 0x223c, '-' }, { 0x22c5, '.' }, { 0x3007, '0' },
	{ 0x30fb, '.' }, { 0x30fc, '-' } };

static char
sign_of(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (signs[i].sign == c)
			return signs[i].ascii;
	if (uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Ps))
		return '(';
	if (uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Pe))
		return ')';
	if (uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Sk)) /* bare accents, tones of emoji */
		return ' ';
	return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Pd) ? '-' : '\0';
}

struct slice
phone_text_clean(struct pool *pool, struct slice typed)
{
	const struct slice clean = typed_clean(pool, typed);
	if (slice_is_ascii(clean) || !utf8_valid(clean))
		return clean;
	char *out = pool_bytes(pool, clean.size);
	size_t end = 0;
	uint32_t c;
	for (struct slice rest = clean, before = rest; utf8_next(&rest, &c); before = rest) {
		const int digit = uc_decimal_value(c);
		const char ascii = digit >= 0 ? (char)('0' + digit) : c > '~' ? sign_of(c) : '\0';
		const struct slice same = slice_sub(before, 0, before.size - rest.size);
		if (ascii != '\0')
			out[end++] = ascii;
		else
			memcpy(out + end, same.data, same.size);
		end += ascii == '\0' ? same.size : 0;
	}
	return slice_trim((struct slice){ out, end });
}

static size_t
count_digits(struct slice text)
{
	size_t count = 0;
	for (size_t i = 0; i < text.size; i++)
		count += ascii_is_digit(text.data[i]);
	return count;
}

/* ---- what surrounds the number ---- */

static bool
is_letter(char c)
{
	return ascii_is_alpha(c) || !is_ascii(c);
}

/* Strips quotes, the apostrophe and the `=` of spreadsheets, and a label: "tel:", "Mobil.:", "TEL;TYPE=CELL:". */
static struct slice
without_front(struct slice text)
{
	size_t from = 0, word;
	while (from < text.size && ascii_is_any(text.data[from], " =\"'`*_~|"))
		from++;
	for (word = from; word < text.size && (is_letter(text.data[word]) || ascii_is_any(text.data[word], "-. ;=,")); word++)
		;
	const bool labelled = word > from && is_letter(text.data[from]) && word < text.size && text.data[word] == ':';
	if (!labelled)
		for (word = from; word < text.size && is_letter(text.data[word]); word++)
			;
	const bool dotted = word > from && word < text.size && text.data[word] == '.';
	return slice_sub(text, labelled || dotted ? word + 1 : from, text.size);
}

/* Strips words around a whole number: "mobile 0171 1234567 (home)". A letter next to a digit may stand for a digit. */
static struct slice
without_words(struct slice text)
{
	size_t from = 0, to = text.size;
	if (count_digits(text) < PHONE_DIGITS_MIN)
		return text;
	while (from < to && (is_letter(text.data[from]) || ascii_is_any(text.data[from], " .-:")))
		from++;
	while (to > from && (is_letter(text.data[to - 1]) || ascii_is_any(text.data[to - 1], " .-:()[]*_~`|!?")))
		to--;
	const bool is_apart = (from == 0 || !is_letter(text.data[from - 1])) && (to == text.size || !is_letter(text.data[to]));
	return is_apart ? slice_sub(text, from, to) : text;
}

/* Strips a remark in brackets after a whole number: "0171 1234567 (ab 17h)". *found: it contains digits. */
static struct slice
without_remark(struct slice text, bool *found)
{
	for (size_t i = 0; i < text.size; i++) {
		if (!ascii_is_any(text.data[i], "([{") || count_digits(slice_sub(text, 0, i)) < PHONE_DIGITS_MIN)
			continue;
		for (size_t k = i; k < text.size; k++)
			if (is_letter(text.data[k])) {
				*found = count_digits(slice_sub(text, i, text.size)) > 0;
				return slice_trim(slice_sub(text, 0, i));
			}
	}
	return text;
}

/* ---- extensions ---- */

enum { EXTENSION_DIGITS_MAX = 7 };

/* A sign, or a word in any language: what precedes it is a whole number, so the digits after it mean something else. A word of
 * ASCII letters that touches other characters may stand for digits, and so may "O" and "l". */
static bool
announces_extension(struct slice text, size_t from, size_t to)
{
	const struct slice word = slice_sub(text, from, to);
	size_t alike = 0;
	while (alike < word.size && ascii_is_any(word.data[alike], "OoIl"))
		alike++;
	if (word.size <= 1 || alike == word.size)
		return word.size == 1 && ascii_is_any(word.data[0], ",;#~xXwW");
	return !ascii_is_digit(text.data[from - 1]) || !is_ascii(word.data[0]) || slice_starts_with_nocase(word, SLICE("x")) ||
	       slice_starts_with_nocase(word, SLICE("ext"));
}

/* Where the run of these characters that ends at `end` begins. */
static size_t
back_over(struct slice text, size_t end, const char *characters)
{
	while (end > 0 && ascii_is_any(text.data[end - 1], characters))
		end--;
	return end;
}

/* The number before a word or sign and up to seven digits at the end, if it has enough digits. *found: there were digits. */
static struct slice
without_extension(struct slice text, bool *found)
{
	const size_t end = back_over(text, text.size, " )]\"'"), digits = back_over(text, end, "0123456789"),
		     word_end = back_over(text, digits, " .:=-(");
	size_t word = word_end;
	while (word > 0 && is_letter(text.data[word - 1]))
		word--;
	if (word == word_end && word > 0)
		word--;
	const size_t before = back_over(text, word, " ,;(");
	const bool is_one = end - digits <= EXTENSION_DIGITS_MAX &&
			    count_digits(slice_sub(text, 0, before)) >= PHONE_DIGITS_MIN &&
			    announces_extension(text, word, word_end);
	*found = is_one && end > digits;
	return is_one ? slice_sub(text, 0, before) : text;
}

/* "0171 1234567 <tel:+491711234567>": mail programs add the link to the number that is shown. */
static struct slice
without_link(struct slice text)
{
	const size_t open = slice_find_last(text, '<');
	const struct slice shown = slice_sub(text, 0, open);
	const bool is_link = slice_starts_with_nocase(slice_sub(text, open, text.size), SLICE("<tel:"));
	return is_link && count_digits(shown) >= PHONE_DIGITS_MIN ? shown : text;
}

/* ---- numbers of spreadsheets ---- */

/* 4.91711E+11, with a point or comma. */
static bool
is_rounded(struct slice text)
{
	const size_t e = slice_find(text, slice_find(text, 'E') < text.size ? 'E' : 'e');
	const struct slice mantissa = slice_sub(text, 0, e), exponent = slice_sub(text, e + 1, text.size);
	const struct slice digits =
	    slice_sub(exponent, exponent.size > 0 && ascii_is_any(exponent.data[0], "+-"), exponent.size);
	size_t points = 0;
	for (size_t i = 0; i < mantissa.size; i++)
		if (ascii_is_any(mantissa.data[i], ".,"))
			points++;
	return e < text.size && mantissa.size > 0 && points <= 1 && count_digits(mantissa) + points == mantissa.size &&
	       digits.size > 0 && count_digits(digits) == digits.size;
}

/* "491711234567.0" without its fraction. */
static struct slice
without_fraction(struct slice text)
{
	size_t point = text.size;
	while (point > 0 && text.data[point - 1] == '0')
		point--;
	if (point == 0 || point == text.size || text.data[point - 1] != '.')
		return text;
	const struct slice whole = slice_sub(text, 0, point - 1);
	const bool plus = slice_starts_with(whole, SLICE("+"));
	return whole.size >= PHONE_DIGITS_MIN && count_digits(whole) + plus == whole.size ? whole : text;
}

/* ---- digits ---- */

#define SEPARATORS " -./()[]{}<>_'\"\\"

/* A 0 in brackets: "(0)". */
static bool
is_bracketed_zero(struct slice text, size_t at)
{
	return text.data[at] == '0' && at > 0 && at + 1 < text.size && ascii_is_any(text.data[at - 1], "([") &&
	       ascii_is_any(text.data[at + 1], ")]");
}

static enum phone_fault
read_digits(struct slice rest, struct phone_text *text)
{
	size_t count = 0;
	for (size_t i = 0; i < rest.size; i++) {
		if (ascii_is_any(rest.data[i], SEPARATORS))
			continue;
		if (!ascii_is_digit(rest.data[i]) || count == PHONE_TYPED_MAX)
			return PHONE_MALFORMED;
		if (count > 0 && text->zero == 0 && is_bracketed_zero(rest, i))
			text->zero = count + 1;
		text->digits[count++] = rest.data[i];
	}
	return PHONE_GOOD;
}

/* The text after "+", if only separators precede it. A "+" that a form has filled in is dropped, with its calling code: "+49
 * +49 171", "++49 171". */
static struct slice
after_plus(struct slice rest, bool *plus)
{
	const size_t first = slice_find(rest, '+'), last = slice_find_last(rest, '+');
	*plus = first < rest.size && back_over(rest, first, SEPARATORS) == 0;
	if (!*plus)
		return rest;
	const struct slice filled = slice_trim(slice_sub(rest, first + 1, last)), again = slice_sub(rest, last + 1, rest.size);
	const bool repeated = filled.size <= 3 && count_digits(filled) == filled.size;
	return repeated && slice_starts_with(again, filled) ? again : slice_sub(rest, first + 1, rest.size);
}

enum phone_fault
phone_text_read(struct slice clean, struct phone_text *text)
{
	*text = (struct phone_text){ 0 };
	struct slice rest = slice_trim(without_front(without_link(clean)));
	if (is_rounded(rest))
		return PHONE_ROUNDED;
	bool remark = false;
	const struct slice number = without_extension(rest, &text->extension);
	if (text->extension) {
		rest = number;
	} else {
		rest = without_extension(without_fraction(without_words(without_remark(rest, &remark))), &text->extension);
		text->extension = text->extension || remark;
	}
	rest = after_plus(rest, &text->plus);
	/* nobody dials "+00": "+" and "00" stand for the same prefix */
	if (text->plus && slice_starts_with(rest, SLICE("00")))
		rest = slice_sub(rest, 2, rest.size);
	return read_digits(rest, text);
}
