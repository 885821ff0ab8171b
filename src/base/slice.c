/* SPDX-License-Identifier: MIT */
#include "base/slice.h"

#include <string.h>

struct slice
slice_of(const char *text)
{
	return (struct slice){ text, text == NULL ? 0 : strlen(text) };
}

bool
slice_equal_nocase(struct slice a, struct slice b)
{
	if (a.size != b.size)
		return false;
	for (size_t i = 0; i < a.size; i++)
		if (ascii_lower(a.data[i]) != ascii_lower(b.data[i]))
			return false;
	return true;
}

int
slice_compare(struct slice a, struct slice b)
{
	const size_t common = a.size < b.size ? a.size : b.size;
	const int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

bool
slice_starts_with_nocase(struct slice s, struct slice prefix)
{
	return slice_equal_nocase(slice_sub(s, 0, prefix.size), prefix);
}

bool
slice_ends_with(struct slice s, struct slice suffix)
{
	return s.size >= suffix.size && slice_equal(slice_sub(s, s.size - suffix.size, s.size), suffix);
}

bool
slice_contains(struct slice s, struct slice part)
{
	return part.size == 0 || slice_find_part(s, part) < s.size;
}

size_t
slice_find_part(struct slice s, struct slice part)
{
	const char *found = s.size < part.size || s.size == 0 ? NULL : memmem(s.data, s.size, part.data, part.size);
	return found == NULL ? s.size : (size_t)(found - s.data);
}

bool
slice_contains_nocase(struct slice s, struct slice part)
{
	for (size_t i = 0; i + part.size <= s.size; i++)
		if (slice_starts_with_nocase(slice_sub(s, i, s.size), part))
			return true;
	return false;
}

size_t
slice_place_in(struct slice s, const struct slice *items, size_t count)
{
	size_t i = 0;
	while (i < count && !slice_equal(s, items[i]))
		i++;
	return i;
}

bool
slice_is_one_of(struct slice s, const struct slice *items, size_t count)
{
	return slice_place_in(s, items, count) < count;
}

bool
slice_is_listed(struct slice s, const char *list)
{
	struct slice rest = slice_of(list), word;
	while (slice_next(&rest, ' ', &word))
		if (slice_equal(word, s))
			return true;
	return false;
}

size_t
slice_find_last(struct slice s, char c)
{
	for (size_t i = s.size; i > 0; i--)
		if (s.data[i - 1] == c)
			return i - 1;
	return s.size;
}

/* The same byte in each of the eight of a word. */
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

bool
slice_is_ascii(struct slice s)
{
	uint64_t word, all = 0;
	size_t i = 0;
	for (; s.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s.data + i, sizeof(word));
		all |= word;
	}
	for (; i < s.size; i++)
		all |= (unsigned char)s.data[i];
	return (all & EIGHT(0x80)) == 0;
}

/* In the sum and the difference of an ASCII character, the highest bit is set for DEL and control characters. A carry into the
 * next byte comes only from a byte that already has it. */
bool
slice_is_printable(struct slice s)
{
	uint64_t word, all = 0;
	size_t i = 0;
	for (; s.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s.data + i, sizeof(word));
		all |= word | (word + EIGHT(1)) | (word - EIGHT(' '));
	}
	for (; i < s.size; i++)
		all |= s.data[i] < ' ' || s.data[i] > '~' ? EIGHT(0x80) : 0;
	return (all & EIGHT(0x80)) == 0;
}

bool
slice_is_alnum(struct slice s, const char *others)
{
	for (size_t i = 0; i < s.size; i++)
		if (!ascii_is_alpha(s.data[i]) && !ascii_is_digit(s.data[i]) &&
		    memchr(others, s.data[i], strlen(others)) == NULL)
			return false;
	return true;
}

bool
slice_has_control(struct slice s)
{
	if (slice_is_printable(s)) /* true for most texts */
		return false;
	for (size_t i = 0; i < s.size; i++)
		if ((unsigned char)s.data[i] < ' ' || s.data[i] == 0x7f)
			return true;
	return false;
}

struct slice
slice_trim(struct slice s)
{
	size_t from = 0, to = s.size;
	while (from < to && ascii_is_space(s.data[from]))
		from++;
	while (to > from && ascii_is_space(s.data[to - 1]))
		to--;
	return slice_sub(s, from, to);
}

bool
slice_next(struct slice *rest, char separator, struct slice *head)
{
	if (rest->data == NULL || rest->size == 0)
		return false;
	size_t at = slice_find(*rest, separator);
	*head = slice_sub(*rest, 0, at);
	*rest = at < rest->size ? slice_sub(*rest, at + 1, rest->size) : SLICE_NONE;
	return true;
}

bool
slice_next_item(struct slice *rest, struct slice *item)
{
	size_t from = 0;
	while (from < rest->size && (rest->data[from] == ',' || ascii_is_space(rest->data[from])))
		from++;
	size_t to = from;
	while (to < rest->size && rest->data[to] != ',' && !ascii_is_space(rest->data[to]))
		to++;
	*item = slice_sub(*rest, from, to);
	*rest = slice_sub(*rest, to, rest->size);
	return item->size > 0;
}

bool
slice_to_u64(struct slice s, uint64_t maximum, uint64_t *value)
{
	uint64_t number = 0;
	if (s.size == 0 || (s.size > 1 && s.data[0] == '0'))
		return false;
	for (size_t i = 0; i < s.size; i++) {
		if (!ascii_is_digit(s.data[i]))
			return false;
		uint64_t digit = (uint64_t)(s.data[i] - '0');
		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (number > maximum)
		return false;
	*value = number;
	return true;
}

bool
slice_split_port(struct slice text, struct slice *host, uint64_t *port)
{
	size_t colon = slice_find(text, ':'), end = colon == slice_find_last(text, ':') ? colon : text.size;
	*port = 0;
	*host = slice_sub(text, 0, end);
	if (slice_starts_with(text, SLICE("["))) {
		end = slice_find(text, ']');
		*host = slice_sub(text, 1, end);
		end += end < text.size;
	}
	const struct slice rest = slice_sub(text, end, text.size);
	return host->size > 0 && (rest.size == 0 || (rest.data[0] == ':' &&
							slice_to_u64(slice_sub(rest, 1, rest.size), 65535, port) && *port > 0));
}

int
ascii_hex_digit(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	c = ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
ascii_hex_byte(const char *digits)
{
	const int high = ascii_hex_digit(digits[0]), low = ascii_hex_digit(digits[1]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

size_t
slice_line_of(struct slice text, const char *place)
{
	size_t line = 1;
	for (const char *c = text.data; c < place; c++)
		line += *c == '\n' ? 1 : 0;
	return line;
}
