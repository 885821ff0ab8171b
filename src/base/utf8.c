/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>
#include <unistr.h>

bool
utf8_next(struct slice *rest, uint32_t *character)
{
	ucs4_t number;
	const int size = rest->size == 0 ? -1 : u8_mbtoucr(&number, (const uint8_t *)rest->data, rest->size);
	if (size < 0)
		return false;
	*character = number;
	*rest = slice_sub(*rest, (size_t)size, rest->size);
	return true;
}

size_t
utf8_valid_size(struct slice s)
{
	if (slice_is_ascii(s)) /* true for most texts */
		return s.size;
	const uint8_t *invalid = u8_check((const uint8_t *)s.data, s.size);
	return invalid == NULL ? s.size : (size_t)((const char *)invalid - s.data);
}

struct slice
utf8_cut(struct slice s, size_t maximum)
{
	const struct slice first = slice_sub(s, 0, maximum);
	return first.size == s.size ? s : slice_sub(first, 0, utf8_valid_size(first));
}

/* C1 characters are C2 80 to C2 9F. */
bool
utf8_has_control(struct slice s)
{
	for (size_t i = 0; i + 1 < s.size; i++)
		if ((unsigned char)s.data[i] == 0xc2 && (unsigned char)s.data[i + 1] < 0xa0)
			return true;
	return slice_has_control(s);
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
