/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>

/* By the first byte (RFC 3629, section 4): how long the character is, and the range of its second byte, which is where
 * overlong forms, surrogates and numbers above U+10FFFF show. Later bytes are always 80..BF. */
static const struct lead {
	unsigned char first, last; /* first bytes of this kind */
	unsigned char size;        /* of the character */
	unsigned char least, most; /* second byte */
	unsigned char bits;        /* of the first byte that belong to the number */
} leads[] = {
	{ 0xc2, 0xdf, 2, 0x80, 0xbf, 0x1f },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf, 0x0f },
	{ 0xe1, 0xec, 3, 0x80, 0xbf, 0x0f },
	{ 0xed, 0xed, 3, 0x80, 0x9f, 0x0f },
	{ 0xee, 0xef, 3, 0x80, 0xbf, 0x0f },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf, 0x07 },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf, 0x07 },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f, 0x07 },
};

static const struct lead *
find_lead(unsigned char byte)
{
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	return NULL;
}

bool
utf8_next(struct slice *rest, uint32_t *character)
{
	if (rest->size == 0)
		return false;
	const unsigned char *bytes = (const unsigned char *)rest->data;
	size_t size = 1;
	uint32_t number = bytes[0];
	if (number >= 0x80) {
		const struct lead *lead = find_lead(bytes[0]);
		if (lead == NULL || rest->size < lead->size || bytes[1] < lead->least || bytes[1] > lead->most)
			return false;
		number = bytes[0] & lead->bits;
		for (size = 1; size < lead->size; size++) {
			if ((bytes[size] & 0xc0) != 0x80)
				return false;
			number = number << 6 | (bytes[size] & 0x3f);
		}
	}
	*character = number;
	*rest = slice_sub(*rest, size, rest->size);
	return true;
}

/* Bytes at the front that are ASCII, a word at a time: almost all input is. */
static size_t
ascii_prefix(struct slice s)
{
	size_t at = 0;
	for (uint64_t word; s.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, s.data + at, sizeof(word));
		if ((word & UINT64_C(0x8080808080808080)) != 0)
			break;
	}
	while (at < s.size && (unsigned char)s.data[at] < 0x80)
		at++;
	return at;
}

size_t
utf8_valid_size(struct slice s)
{
	struct slice rest = s;
	uint32_t character;
	do {
		rest = slice_sub(rest, ascii_prefix(rest), rest.size);
	} while (utf8_next(&rest, &character));
	return s.size - rest.size;
}

struct slice
utf8_sanitized(struct pool *pool, struct slice s)
{
	static const struct slice replacement = SLICE("\xef\xbf\xbd");
	if (utf8_valid(s))
		return s;
	char *text = pool_bytes(pool, s.size * replacement.size);
	size_t size = 0;
	for (struct slice rest = s; rest.size > 0;) {
		size_t valid = utf8_valid_size(rest);
		memcpy(text + size, rest.data, valid);
		size += valid;
		if (valid < rest.size) {
			memcpy(text + size, replacement.data, replacement.size);
			size += replacement.size;
			valid++;
		}
		rest = slice_sub(rest, valid, rest.size);
	}
	return (struct slice){ text, size };
}
