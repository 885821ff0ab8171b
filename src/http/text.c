/* SPDX-License-Identifier: MIT */
#include "http/text.h"

#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

/* '+' is replaced by `plus`. Sets *whole to whether every '%' starts an escape; others are copied. */
static struct slice
decode(struct pool *pool, struct slice text, char plus, bool *whole)
{
	char *out = pool_alloc(pool, text.size + 1);
	size_t size = 0;
	*whole = true;
	for (size_t at = 0; at < text.size; at++) {
		int byte = percent_byte(text, at);
		char c = text.data[at];
		if (byte >= 0) {
			out[size++] = (char)byte;
			at += 2;
		} else {
			*whole = *whole && c != '%';
			out[size++] = c == '+' ? plus : c;
		}
	}
	return (struct slice){ out, size };
}

bool
http_decode_segment(struct pool *pool, struct slice text, struct slice *decoded)
{
	bool whole;
	*decoded = decode(pool, text, '+', &whole);
	return whole;
}

struct slice
http_decode_form(struct pool *pool, struct slice text)
{
	bool whole;
	if (slice_find(text, '%') == text.size && slice_find(text, '+') == text.size)
		return text;
	return decode(pool, text, ' ', &whole);
}

/* Control characters that no text may have. */
static bool
is_forbidden(char c)
{
	return (c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == '\x7f';
}

const char *
http_text_normalise(struct pool *pool, struct slice text, struct slice *normal)
{
	if (!utf8_valid(text))
		return "must be valid UTF-8";
	text = slice_trim(text);
	char *out = pool_alloc(pool, text.size + 1);
	size_t size = 0;
	for (size_t at = 0; at < text.size; at++) {
		char c = text.data[at];
		if (c == '\r') {
			c = '\n';
			if (at + 1 < text.size && text.data[at + 1] == '\n')
				at++;
		}
		if (is_forbidden(c))
			return "must not contain control characters";
		out[size++] = c;
	}
	*normal = (struct slice){ out, size };
	return NULL;
}

/* The bytes of the first character; 0: a byte that belongs to none. */
static size_t
character_size(struct slice text)
{
	struct slice rest = text;
	uint32_t character;
	return utf8_next(&rest, &character) ? text.size - rest.size : 0;
}

struct slice
http_text_clean(struct pool *pool, struct slice text)
{
	char *out = pool_bytes(pool, text.size + 1);
	size_t end = 0;
	for (size_t at = 0; at < text.size;) {
		const char c = text.data[at];
		const size_t size = character_size(slice_sub(text, at, text.size));
		if (c == '\r') {
			if (at + 1 == text.size || text.data[at + 1] != '\n')
				out[end++] = '\n';
		} else if (size > 0 && !is_forbidden(c)) {
			memcpy(out + end, text.data + at, size);
			end += size;
		}
		at += size == 0 ? 1 : size;
	}
	return slice_trim((struct slice){ out, end });
}

struct slice
http_text_cut(struct slice text, size_t bytes)
{
	if (text.size <= bytes)
		return text;
	while (bytes > 0 && ((unsigned char)text.data[bytes] & 0xc0) == 0x80)
		bytes--;
	return slice_trim(slice_sub(text, 0, bytes));
}
