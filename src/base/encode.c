/* SPDX-License-Identifier: MIT */
#include "base/encode.h"

#include <string.h>

struct slice
encode_decimal(uint64_t number, char out[DECIMAL_SIZE])
{
	size_t at = DECIMAL_SIZE;
	do {
		out[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return (struct slice){ out + at, DECIMAL_SIZE - at };
}

struct slice
encode_hex(struct pool *pool, struct slice bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *out = pool_alloc(pool, bytes.size * 2 + 1);
	for (size_t i = 0; i < bytes.size; i++) {
		unsigned char byte = (unsigned char)bytes.data[i];
		out[2 * i] = digits[byte >> 4];
		out[2 * i + 1] = digits[byte & 15];
	}
	return (struct slice){ out, bytes.size * 2 };
}

struct slice
encode_shell_word(struct pool *pool, struct slice text)
{
	struct slice quoted = SLICE("'");
	for (size_t at; (at = slice_find(text, '\'')) < text.size; text = slice_sub(text, at + 1, text.size))
		quoted = POOL_JOIN(pool, quoted, slice_sub(text, 0, at), SLICE("'\\''"));
	return POOL_JOIN(pool, quoted, text, SLICE("'"));
}

bool
decode_hex(struct pool *pool, struct slice text, struct slice *bytes)
{
	if (text.size % 2 != 0)
		return false;
	char *out = pool_alloc(pool, text.size / 2 + 1);
	for (size_t i = 0; i < text.size; i += 2) {
		const int byte = ascii_hex_byte(text.data + i);
		if (byte < 0)
			return false;
		out[i / 2] = (char)byte;
	}
	*bytes = (struct slice){ out, text.size / 2 };
	return true;
}

static const char base32_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

struct slice
encode_base32(struct pool *pool, struct slice bytes)
{
	char *out = pool_alloc(pool, bytes.size * 8 / 5 + 2);
	size_t size = 0;
	uint32_t bits = 0;
	unsigned count = 0;
	for (size_t i = 0; i < bytes.size; i++) {
		bits = bits << 8 | (unsigned char)bytes.data[i];
		for (count += 8; count >= 5; count -= 5)
			out[size++] = base32_digits[bits >> (count - 5) & 31];
	}
	if (count > 0)
		out[size++] = base32_digits[bits << (5 - count) & 31];
	return (struct slice){ out, size };
}

bool
decode_base32(struct pool *pool, struct slice text, struct slice *bytes)
{
	char *out = pool_alloc(pool, text.size * 5 / 8 + 1);
	size_t size = 0;
	uint32_t bits = 0;
	unsigned count = 0;
	for (size_t i = 0; i < text.size; i++) {
		const char *digit = memchr(base32_digits, ascii_upper(text.data[i]), sizeof(base32_digits) - 1);
		if (digit == NULL)
			return false;
		bits = bits << 5 | (uint32_t)(digit - base32_digits);
		count += 5;
		if (count < 8)
			continue;
		count -= 8;
		out[size++] = (char)(bits >> count);
	}
	*bytes = (struct slice){ out, size };
	return count < 5 && (bits & ((1U << count) - 1)) == 0;
}

int
percent_byte(struct slice text, size_t at)
{
	return text.size - at < 3 || text.data[at] != '%' ? -1 : ascii_hex_byte(text.data + at + 1);
}

struct slice
decode_percent(struct pool *pool, struct slice text)
{
	char *out = pool_alloc(pool, text.size + 1);
	size_t size = 0;
	for (size_t at = 0; at < text.size; at++) {
		const int byte = percent_byte(text, at);
		out[size++] = byte >= 0 ? (char)byte : text.data[at];
		at += byte >= 0 ? 2 : 0;
	}
	return (struct slice){ out, size };
}

void
encode_percent(struct buffer *out, struct slice bytes)
{
	static const char digits[] = "0123456789ABCDEF";
	for (size_t i = 0; i < bytes.size; i++) {
		char c = bytes.data[i];
		if (ascii_is_alpha(c) || ascii_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~')
			buffer_add_byte(out, c);
		else
			buffer_add(
			    out, (struct slice){ (const char[]){ '%', digits[(unsigned char)c >> 4], digits[c & 15] }, 3 });
	}
}

/* Characters besides letters and digits (RFC 9112, 3.2.1; RFC 3986, 3.3 and 3.4). */
static const char target_marks[] = "-._~!$&'()*+,;=:@/?";

/* A '%' that begins no pair is taken literally. */
void
encode_target(struct buffer *out, struct slice target)
{
	for (size_t i = 0; i < target.size; i++) {
		const char c = target.data[i];
		if (ascii_is_alpha(c) || ascii_is_digit(c) || memchr(target_marks, c, sizeof(target_marks) - 1) != NULL ||
		    percent_byte(target, i) >= 0)
			buffer_add_byte(out, c);
		else
			encode_percent(out, slice_sub(target, i, i + 1));
	}
}
