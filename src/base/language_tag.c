/* SPDX-License-Identifier: MIT */
#include "base/language_tag.h"

static bool
is_separator(char c)
{
	return c == '-' || c == '_';
}

static size_t
subtag_size(struct slice text)
{
	size_t size = 0;
	while (size < text.size && (ascii_is_alpha(text.data[size]) || ascii_is_digit(text.data[size])))
		size++;
	return size;
}

/* `is`: ascii_is_alpha or ascii_is_digit. */
static bool
has_only(struct slice text, bool (*is)(char c))
{
	for (size_t i = 0; i < text.size; i++)
		if (!is(text.data[i]))
			return false;
	return true;
}

/* Appends "-AT" with the first `capitals` letters as capitals. */
static void
add(char *tag, size_t *size, struct slice subtag, size_t capitals)
{
	if (*size > 0)
		tag[(*size)++] = '-';
	for (size_t i = 0; i < subtag.size; i++)
		tag[(*size)++] = i < capitals ? ascii_upper(subtag.data[i]) : ascii_lower(subtag.data[i]);
}

bool
language_tag_parse(struct pool *pool, struct slice text, struct slice *tag)
{
	enum { SHORTEST = 2, LONGEST = 3, SCRIPT = 4, REGION = 2, REGION_DIGITS = 3 };
	char *out = pool_bytes(pool, LANGUAGE_TAG_MAX);
	size_t size = 0, end = subtag_size(text);
	struct slice subtag = slice_sub(text, 0, end);
	const bool ends = end == text.size || is_separator(text.data[end]) || text.data[end] == '.' || text.data[end] == '@';
	if (subtag.size < SHORTEST || subtag.size > LONGEST || !has_only(subtag, ascii_is_alpha) || !ends)
		return false;
	add(out, &size, subtag, 0);
	for (bool script = false; end < text.size && is_separator(text.data[end]);) {
		text = slice_sub(text, end + 1, text.size);
		end = subtag_size(text);
		subtag = slice_sub(text, 0, end);
		if (!script && subtag.size == SCRIPT && has_only(subtag, ascii_is_alpha)) {
			add(out, &size, subtag, 1);
			script = true;
			continue;
		}
		if ((subtag.size == REGION && has_only(subtag, ascii_is_alpha)) ||
		    (subtag.size == REGION_DIGITS && has_only(subtag, ascii_is_digit)))
			add(out, &size, subtag, subtag.size);
		break;
	}
	*tag = (struct slice){ out, size };
	return true;
}

struct slice
language_tag_language(struct slice tag)
{
	return slice_sub(tag, 0, slice_find(tag, '-'));
}
