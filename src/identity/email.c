/* SPDX-License-Identifier: MIT */
#include "identity/email.h"

#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/encode.h"
#include "base/utf8.h"
#include "identity/domain.h"
#include "identity/typed.h"

/* Non-ASCII characters that a clean text may contain but no part of an address may. */
static bool (*const refused[])(ucs4_t) = { uc_is_property_private_use, uc_is_property_not_a_character };

static bool
is_clean(struct slice text)
{
	uint32_t character;
	if (slice_is_ascii(text))
		return true;
	while (utf8_next(&text, &character))
		for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
			if (refused[i](character))
				return false;
	return text.size == 0;
}

/* WHATWG's `atext`, widened by RFC 6532 3.2. */
static bool
is_atext(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c) || !is_ascii(c) || (c != '\0' && strchr("!#$%&'*+/=?^_`{|}~-", c));
}

static bool
is_local(struct slice local)
{
	if (local.size == 0 || local.size > EMAIL_LOCAL_MAX || local.data[local.size - 1] == '.')
		return false;
	struct slice atom;
	while (slice_next(&local, '.', &atom)) {
		if (atom.size == 0)
			return false;
		for (size_t i = 0; i < atom.size; i++)
			if (!is_atext(atom.data[i]))
				return false;
	}
	return true;
}

/* Whether the last label of the domain is not a number: "192.0.2.1" is an address literal without brackets. */
static bool
is_mail_domain(struct slice domain)
{
	size_t dot = slice_find_last(domain, '.');
	for (size_t i = dot + 1; i < domain.size; i++)
		if (!ascii_is_digit(domain.data[i]))
			return true;
	return false;
}

/* A bare address, in a clean text. */
static bool
parse_bare(struct pool *pool, struct slice text, struct email *email)
{
	const size_t at = slice_find(text, '@');
	struct slice domain;
	if (at == 0 || at == text.size || text.size > EMAIL_TYPED_MAX || !is_clean(text))
		return false;
	/* checked afterwards, not before: NFC turns U+037E into ';' */
	const struct slice local = pool_copy_lower(pool, typed_normalized(pool, UNINORM_NFC, slice_sub(text, 0, at)));
	if (!is_local(local) || !domain_to_ascii(pool, slice_sub(text, at + 1, text.size), &domain) || !is_mail_domain(domain))
		return false;
	if (local.size + 1 + domain.size > EMAIL_MAX)
		return false;
	email->display = text;
	email->key = POOL_JOIN(pool, local, SLICE("@"), domain);
	return true;
}

/* ---- what surrounds an address ---- */

enum { NESTING_MAX = 4 };

/* Strips these characters from both ends. */
static struct slice
strip(struct slice text, const char *before, const char *after)
{
	size_t from = 0, to = text.size;
	while (from < to && ascii_is_any(text.data[from], before))
		from++;
	while (to > from && ascii_is_any(text.data[to - 1], after))
		to--;
	return slice_sub(text, from, to);
}

/* Strips the characters that chats use for formatting, from both ends or the end: "*x*", "`x`". At the beginning only, they may
 * belong to the address. */
static struct slice
without_marks(struct slice text)
{
	while (text.size > 2 && ascii_is_any(text.data[text.size - 1], "*_~`|}")) {
		const char last = text.data[text.size - 1], first = last == '}' ? '{' : last;
		text = slice_sub(text, text.data[0] == first ? 1 : 0, text.size - 1);
	}
	return text;
}

/* Strips punctuation of other scripts from the end. */
static struct slice
without_punctuation(struct slice text)
{
	for (;;) {
		size_t at = text.size;
		while (at > 0 && (text.data[at - 1] & 0xc0) == 0x80)
			at--;
		struct slice rest = slice_sub(text, at > 0 ? at - 1 : 0, text.size);
		uint32_t c;
		if (at == 0 || at == text.size || !utf8_next(&rest, &c) || rest.size > 0 ||
		    !uc_is_general_category_withtable(c, UC_CATEGORY_MASK_P))
			return text;
		text = slice_trim(slice_sub(text, 0, at - 1));
	}
}

/* The text after a label in any language: a space follows its colon, or the label contains a space, `;` or a non-ASCII
 * character. Otherwise a colon may also be a typing error within an address. */
static struct slice
without_label(struct pool *pool, struct slice text)
{
	static const struct slice labels[] = { SLICE("smtp"), SLICE("email"), SLICE("e-mail"), SLICE("mail") };
	const size_t colon = slice_find(text, ':');
	const struct slice label = slice_sub(text, 0, colon), rest = slice_sub(text, colon + 1, text.size);
	if (slice_equal_nocase(label, SLICE("mailto")))
		return typed_clean(pool, decode_percent(pool, strip(slice_sub(rest, 0, slice_find(rest, '?')), "/", "")));
	const bool is_label = slice_starts_with(rest, SLICE(" ")) || slice_find(label, ' ') < label.size ||
			      slice_find(label, ';') < label.size || !slice_is_ascii(label);
	if (colon == text.size || slice_find(label, '@') < label.size)
		return text;
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (slice_equal_nocase(label, labels[i]))
			return slice_trim(rest);
	return is_label ? slice_trim(rest) : text;
}

static bool
is_sign(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_is_alpha(text.data[i]) || ascii_is_digit(text.data[i]) || !is_ascii(text.data[i]))
			return false;
	return text.size > 0;
}

/* Strips separate signs, such as those of lists and quotations: "- x", "> x". */
static struct slice
without_signs(struct slice text)
{
	const size_t first = slice_find(text, ' ');
	if (first < text.size && is_sign(slice_sub(text, 0, first)))
		text = slice_trim(slice_sub(text, first, text.size));
	const size_t last = slice_find_last(text, ' ');
	return last < text.size && is_sign(slice_sub(text, last + 1, text.size)) ? slice_trim(slice_sub(text, 0, last)) : text;
}

/* Removes spaces around the "@": "ada @ example.org". */
static struct slice
join_at(struct pool *pool, struct slice text)
{
	const size_t at = slice_find(text, '@');
	if (slice_find(text, ' ') == text.size || at == text.size)
		return text;
	return POOL_JOIN(pool, slice_trim(slice_sub(text, 0, at)), SLICE("@"), slice_trim(slice_sub(text, at + 1, text.size)));
}

/* An address with what may surround it, but no other words: `<x>`, `"x",`, `mailto:x`. */
static bool
parse_wrapped(struct pool *pool, struct slice text, struct email *email)
{
	static const char before[] = " <([\"',;:", after[] = " >)]\"',;.:!?\\";
	const struct slice inner = without_marks(strip(without_signs(text), before, after));
	const struct slice bare = strip(without_label(pool, strip(inner, before, after)), before, after);
	return parse_bare(pool, join_at(pool, bare), email);
}

/* The last opening bracket or quote, except at the beginning; text.size: none. */
static size_t
last_bracket(struct slice text)
{
	for (size_t i = text.size < 2 ? 0 : text.size - 1; i-- > 1;)
		if (ascii_is_any(text.data[i], "<([\""))
			return i;
	return text.size;
}

/* The same address twice, as when someone pastes it a second time. */
static bool
parse_twice(struct pool *pool, struct slice text, struct email *email)
{
	struct email one, other;
	const size_t half = text.size / 2;
	if (!parse_wrapped(pool, slice_sub(text, 0, half), &one) ||
	    !parse_wrapped(pool, slice_sub(text, half, text.size), &other) || !slice_equal(one.key, other.key))
		return false;
	*email = one;
	return true;
}

static bool parse_among(struct pool *pool, struct slice text, int depth, struct email *email);

/* `left`, and `inside`, which followed it in brackets: one is the address and the other a name or a comment, or both are the
 * same. */
static bool
parse_pair(struct pool *pool, struct slice left, struct slice inside, int depth, struct email *email)
{
	struct email one, other;
	const bool in_left = slice_find(left, '@') < left.size, is_inside = slice_find(inside, '@') < inside.size;
	if (!is_inside)
		return in_left && parse_among(pool, left, depth + 1, email);
	if (!parse_wrapped(pool, inside, &one) ||
	    (in_left && !(parse_among(pool, left, depth + 1, &other) && slice_equal(other.key, one.key))))
		return false;
	*email = one;
	return true;
}

/* An address that may come with a name or a comment. */
static bool
parse_among(struct pool *pool, struct slice text, int depth, struct email *email)
{
	static const char openers[] = "<([\"", closers[] = ">)]\"";
	const struct slice whole = without_marks(strip(text, " ", " ,;.:!?"));
	const size_t open = last_bracket(whole);
	if (parse_wrapped(pool, whole, email))
		return true;
	if (depth == NESTING_MAX || open == whole.size ||
	    whole.data[whole.size - 1] != closers[strchr(openers, whole.data[open]) - openers])
		return false;
	return parse_pair(pool, slice_sub(whole, 0, open), slice_sub(whole, open + 1, whole.size - 1), depth, email);
}

bool
email_parse(struct pool *pool, struct slice typed, struct email *email)
{
	struct slice text = without_punctuation(strip(typed_clean(pool, typed), "'", ""));
	if (slice_find(text, '@') == text.size)
		text = typed_clean(pool, decode_percent(pool, text));
	return parse_bare(pool, text, email) ||
	       (utf8_valid(text) && (parse_among(pool, text, 0, email) || parse_twice(pool, text, email)));
}

struct slice
email_fault(struct slice typed)
{
	return slice_find(typed, '@') != slice_find_last(typed, '@') ? SLICE("Email is not valid: it has more than one @")
								     : SLICE("Email is not valid");
}

/* A local part that begins with the plus sign is kept, because nothing would be left of it. */
static struct slice
without_tag(struct slice local)
{
	const size_t plus = slice_find(local, '+');
	return plus == 0 ? local : slice_sub(local, 0, plus);
}

struct slice
email_mailbox(struct pool *pool, struct slice key)
{
	static const struct slice dotless[] = { SLICE("@gmail.com"), SLICE("@googlemail.com") };
	const size_t at = slice_find_last(key, '@');
	const struct slice domain = slice_sub(key, at, key.size);
	struct slice local = without_tag(slice_sub(key, 0, at)), part;
	if (!slice_is_one_of(domain, dotless, ARRAY_SIZE(dotless)))
		return POOL_JOIN(pool, local, domain);
	struct slice joined = SLICE("");
	while (slice_next(&local, '.', &part))
		joined = POOL_JOIN(pool, joined, part);
	return POOL_JOIN(pool, joined, dotless[0]);
}
