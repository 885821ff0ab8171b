/* SPDX-License-Identifier: MIT */
#include "http/link_query.h"

#include <string.h>

#include "base/buffer.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "http/http_text.h"

enum { ID_MIN = 4, ID_MADE = 10, ID_MAX = 16, AMPS_MAX = 8 };

static const struct slice amp = SLICE("amp;"), kid = SLICE("kid"), utm = SLICE("utm_");
/* A mail in quoted-printable has "=3D" for "=". */
static const struct slice quoted = SLICE("3D");

static bool
is_letter_or_digit(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* How many bytes at the beginning are letters, digits or one of `marks`. */
static size_t
name_size(struct slice text, const char *marks)
{
	size_t size = 0;
	while (size < text.size && text.data[size] != '\0' &&
	       (is_letter_or_digit(text.data[size]) || strchr(marks, text.data[size]) != NULL))
		size++;
	return size;
}

/* `kid` or `utm_…`, in upper or lower case. */
static bool
is_known(struct slice name)
{
	return slice_equal_nocase(name, kid) ||
	       (slice_starts_with_nocase(name, utm) && name.size > utm.size && name_size(name, "_") == name.size);
}

/* The name of a parameter, without spaces and characters beyond ASCII at its end. */
static struct slice
name_of(struct slice parameter)
{
	size_t size = slice_find(parameter, '=');
	while (size > 0 && (parameter.data[size - 1] == ' ' || !is_ascii(parameter.data[size - 1])))
		size--;
	return slice_sub(parameter, 0, size);
}

/* Whether the text begins with a known name, as name_of() finds it, and '='. Reads no further than that, because a text may have a
 * separator at every other byte and no '='. */
static bool
begins_known(struct slice text)
{
	size_t size = name_size(text, "_");
	if (!is_known(slice_sub(text, 0, size)))
		return false;
	while (size < text.size && (text.data[size] == ' ' || !is_ascii(text.data[size])))
		size++;
	return size < text.size && text.data[size] == '=';
}

static struct slice
without_amp(struct slice text)
{
	for (int i = 0; i < AMPS_MAX && slice_starts_with_nocase(text, amp); i++)
		text = slice_sub(text, amp.size, text.size);
	return text;
}

static size_t
separators_size(struct slice text)
{
	size_t size = 0;
	while (size < text.size && text.data[size] != '\0' && strchr("?&#;/, ", text.data[size]) != NULL)
		size++;
	return size;
}

/* Whether the text begins with a name and '='. */
static bool
begins_parameter(struct slice text)
{
	const size_t size = name_size(text, "_.-");
	return size > 0 && size < text.size && text.data[size] == '=';
}

/* Takes the first parameter off a text that may contain several. The next one begins with a known name after any separators, or
 * with any name after a second '?'. Returns false at the end. */
static bool
next_piece(struct slice *rest, struct slice *piece)
{
	if (!slice_present(*rest))
		return false;
	for (size_t at = 0; at < rest->size; at++) {
		const size_t end = at + separators_size(slice_sub(*rest, at, rest->size));
		const struct slice behind = slice_sub(*rest, end, rest->size), next = without_amp(behind);
		const bool known = end > at && begins_known(next);
		if (known || (end > at && rest->data[end - 1] == '?' && begins_parameter(behind))) {
			*piece = slice_sub(*rest, 0, known ? at : end - 1);
			*rest = known ? next : behind;
			return true;
		}
		at = end;
	}
	*piece = *rest;
	*rest = SLICE_NONE;
	return true;
}

/* Takes a character off the text. Returns it if it is ASCII or the full-width form of ASCII, otherwise '\0'. */
static char
take_character(struct slice *text)
{
	enum { WIDE_FIRST = 0xff01, WIDE_LAST = 0xff5e, ASCII_LAST = 0x7f };
	uint32_t c;
	if (!utf8_next(text, &c)) {
		*text = slice_sub(*text, 1, text->size);
		return '\0';
	}
	if (c >= WIDE_FIRST && c <= WIDE_LAST)
		return (char)(c - WIDE_FIRST + '!');
	return c <= ASCII_LAST ? (char)c : '\0';
}

bool
http_link_id(struct pool *pool, struct slice value, struct slice *id)
{
	value = http_decode_form(pool, value);
	char *typed = pool_alloc(pool, value.size + 1);
	size_t size = 0, from = 0;
	while (value.size > 0) {
		const char c = take_character(&value);
		if (c != '\0' && c != '-')
			typed[size++] = c;
	}
	const struct slice text = { typed, size };
	for (size_t i = 0; i < size; i++)
		if (slice_starts_with_nocase(slice_sub(text, i, size), SLICE("kid=")))
			from = i + sizeof("kid=") - 1;
	while (from < size && !is_letter_or_digit(typed[from]))
		from++;
	const size_t end = from + name_size(slice_sub(text, from, size), "");
	*id = slice_sub(text, from, end);
	if (id->size == ID_MADE + quoted.size && slice_starts_with_nocase(*id, quoted))
		*id = slice_sub(*id, quoted.size, id->size);
	return id->size >= ID_MIN && id->size <= ID_MAX && (end == size || typed[end] != ':');
}

static void
add_encoded(struct buffer *out, struct slice name, struct slice value)
{
	if (out->size > 0)
		buffer_add_byte(out, '&');
	encode_percent(out, name);
	buffer_add_byte(out, '=');
	encode_percent(out, value);
}

/* A known parameter without a value is left out, so that it does not replace an earlier one. */
static void
add_piece(struct pool *pool, struct buffer *out, struct slice piece)
{
	const size_t equals = slice_find(piece, '=');
	struct slice name = name_of(piece), value = slice_trim(slice_sub(piece, equals + 1, piece.size));
	const bool known = is_known(name);
	name = known ? pool_copy_lower(pool, name) : slice_sub(piece, 0, equals);
	if (slice_equal(name, kid) ? http_link_id(pool, value, &value) : known ? value.size > 0 : name.size > 0)
		add_encoded(out, name, value);
}

/* Adds a parameter of the query. More parameters can be hidden in it, in encoded form or after its value. A URL in an unknown
 * parameter is not searched. */
static void
add_parameter(struct pool *pool, struct buffer *out, struct slice raw)
{
	struct slice whole = http_decode_form(pool, raw), piece;
	if (slice_find(whole, '=') == whole.size)
		whole = http_decode_form(pool, whole);
	struct slice rest = without_amp(whole);
	const bool known = is_known(name_of(rest)), mended = known || rest.size < whole.size;
	if (!known && slice_contains(rest, SLICE("://"))) {
		piece = rest;
		rest = SLICE_NONE;
	} else if (!next_piece(&rest, &piece))
		return;
	if (!mended && !slice_present(rest)) {
		if (out->size > 0)
			buffer_add_byte(out, '&');
		buffer_add(out, raw);
		return;
	}
	do
		add_piece(pool, out, piece);
	while (next_piece(&rest, &piece));
}

struct slice
http_link_query(struct pool *pool, struct slice query)
{
	struct buffer out;
	struct slice raw;
	buffer_init(&out, 3 * query.size + 1);
	while (query.size > 0 && slice_next(&query, '&', &raw))
		if (raw.size > 0)
			add_parameter(pool, &out, raw);
	return buffer_take(&out, pool);
}

/* How much of a segment belongs to the path: all before the first character that paths do not contain, without full stops at
 * the end. */
static size_t
path_size(struct slice segment)
{
	size_t size = name_size(segment, "_-.");
	while (size > 0 && segment.data[size - 1] == '.')
		size--;
	return size;
}

void
http_link_path(struct pool *pool, struct slice *segments, size_t *count, struct slice *query)
{
	enum { ESCAPE = 3 };
	if (*count > 0 && slice_equal_nocase(segments[0], SLICE("c")))
		segments[0] = SLICE("c"); /* a QR code is smaller in capitals */
	else if (*count == 0 || !slice_equal(segments[0], SLICE("opt-out")))
		return;
	for (size_t i = 1; i < *count; i++) {
		const struct slice whole = segments[i];
		const size_t size = path_size(whole);
		if (size == whole.size)
			continue;
		const size_t skipped = whole.data[size] == '%' && size + ESCAPE <= whole.size ? ESCAPE : 1;
		const struct slice more = slice_sub(whole, size + skipped, whole.size);
		segments[i] = slice_sub(whole, 0, size);
		*count = size > 0 ? i + 1 : i;
		if (slice_find(more, '=') < more.size || slice_find(more, '%') < more.size)
			*query = POOL_JOIN(pool, more, SLICE("&"), *query);
		return;
	}
}
