/* SPDX-License-Identifier: MIT */
#include "base/css.h"

#include <string.h>

bool
css_scan_byte(struct css_scan *scan, char c)
{
	const bool escaped = scan->escaped;
	scan->escaped = c == '\\' && !escaped;
	if (escaped && (ascii_is_alpha(c) || ascii_is_digit(c)))
		return false;
	if (ascii_is_space(c))
		return true;
	memmove(scan->last, scan->last + 1, CSS_WORD_MAX_BYTES - 1);
	scan->last[CSS_WORD_MAX_BYTES - 1] = ascii_lower(c);
	return true;
}

bool
css_scan_found(const struct css_scan *scan, const struct slice *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_ends_with((struct slice){ scan->last, CSS_WORD_MAX_BYTES }, words[i]))
			return true;
	return false;
}

bool
css_scan_loads(const struct css_scan *scan)
{
	static const struct slice words[] = { SLICE("@import"), SLICE("url("), SLICE("src("), SLICE("image("),
		SLICE("image-set("), SLICE("alphaimageloader") };
	return css_scan_found(scan, words, ARRAY_SIZE(words));
}
