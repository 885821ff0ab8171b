/* SPDX-License-Identifier: MIT */
#include "http/http_text.h"

#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

/* Undoes percent-encoding, and replaces '+' by `plus`. A '%' that starts no escape is copied, and makes *whole false. */
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

/* The characters 80 to 9F of Windows-1252 in UTF-8 (WHATWG Encoding Standard); those that it leaves undefined are control
 * characters. All other bytes have the same number in Unicode. */
static const char windows_1252[32][4] = { "\xe2\x82\xac", "\xc2\x81", "\xe2\x80\x9a", "\xc6\x92", "\xe2\x80\x9e",
	"\xe2\x80\xa6", "\xe2\x80\xa0", "\xe2\x80\xa1", "\xcb\x86", "\xe2\x80\xb0", "\xc5\xa0", "\xe2\x80\xb9", "\xc5\x92",
	"\xc2\x8d", "\xc5\xbd", "\xc2\x8f", "\xc2\x90", "\xe2\x80\x98", "\xe2\x80\x99", "\xe2\x80\x9c", "\xe2\x80\x9d",
	"\xe2\x80\xa2", "\xe2\x80\x93", "\xe2\x80\x94", "\xcb\x9c", "\xe2\x84\xa2", "\xc5\xa1", "\xe2\x80\xba", "\xc5\x93",
	"\xc2\x9d", "\xc5\xbe", "\xc5\xb8" };

/* Leaves out the partial characters with which a text begins or ends because it was cut there. */
static struct slice
whole_characters(struct slice text)
{
	size_t from = 0, to = text.size;
	while (from < text.size && from < 3 && ((unsigned char)text.data[from] & 0xc0) == 0x80)
		from++;
	for (size_t i = 1; i <= 3 && i <= text.size; i++)
		if ((unsigned char)text.data[text.size - i] >= 0xc2) {
			to = utf8_valid(slice_sub(text, text.size - i, text.size)) ? to : text.size - i;
			break;
		}
	return slice_sub(text, from, to);
}

struct slice
http_text_utf8(struct pool *pool, struct slice text)
{
	if (utf8_valid(text))
		return text;
	const struct slice whole = whole_characters(text);
	if (!slice_is_ascii(whole) && utf8_valid(whole))
		return whole;
	char *out = pool_bytes(pool, 3 * text.size);
	size_t size = 0;
	for (size_t at = 0; at < text.size; at++) {
		const unsigned char c = (unsigned char)text.data[at];
		if (c < 0x80) {
			out[size++] = (char)c;
		} else if (c < 0xa0) {
			for (const char *byte = windows_1252[c - 0x80]; *byte != '\0'; byte++)
				out[size++] = *byte;
		} else {
			out[size++] = (char)(0xc0 | c >> 6);
			out[size++] = (char)(0x80 | (c & 0x3f));
		}
	}
	return (struct slice){ out, size };
}

enum { NEXT_LINE = 0x85, LINE_SEPARATOR = 0x2028, PARAGRAPH_SEPARATOR = 0x2029, DELETE = 0x7f };

static bool
is_line_end(uint32_t c)
{
	return (c >= '\n' && c <= '\r') || c == NEXT_LINE || c == LINE_SEPARATOR || c == PARAGRAPH_SEPARATOR;
}

static bool
is_control(uint32_t c)
{
	return (c < ' ' && c != '\t') || (c >= DELETE && c < 0xa0);
}

static bool
is_clean(struct slice text)
{
	if (slice_is_printable(text)) /* true for most texts */
		return true;
	for (size_t i = 0; i < text.size; i++)
		if (!is_ascii(text.data[i]) || (is_control((unsigned char)text.data[i]) && text.data[i] != '\n'))
			return false;
	return true;
}

static struct slice
clean(struct pool *pool, struct slice text, char line_end)
{
	char *out = pool_bytes(pool, text.size);
	size_t size = 0;
	uint32_t c;
	for (struct slice rest = text, before = rest; utf8_next(&rest, &c); before = rest) {
		const size_t bytes = before.size - rest.size;
		if (is_line_end(c)) {
			if (c != '\r' || rest.size == 0 || rest.data[0] != '\n')
				out[size++] = line_end;
		} else if (!is_control(c)) {
			memcpy(out + size, before.data, bytes);
			size += bytes;
		}
	}
	return slice_trim((struct slice){ out, size });
}

struct slice
http_text_clean(struct pool *pool, struct slice text)
{
	return is_clean(text) ? slice_trim(pool_copy(pool, text)) : clean(pool, http_text_utf8(pool, text), '\n');
}

struct slice
http_name_clean(struct pool *pool, struct slice name)
{
	const bool is_plain = is_clean(name) && slice_find(name, '\n') == name.size;
	return is_plain ? slice_trim(name) : clean(pool, http_text_utf8(pool, name), ' ');
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
