/* SPDX-License-Identifier: MIT */
#include "http/text.h"

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
	return decode(pool, text, ' ', &whole);
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
		if ((c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == '\x7f')
			return "must not contain control characters";
		out[size++] = c;
	}
	*normal = (struct slice){ out, size };
	return NULL;
}
