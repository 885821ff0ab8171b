/* SPDX-License-Identifier: MIT */
#include "base/stems.h"

static bool
is_separator(char c)
{
	return c == ' ' || c == '_';
}

static bool
begins_with(struct slice text, struct slice stem)
{
	size_t at = 0;
	for (size_t i = 0; i < stem.size; i++) {
		if (stem.data[i] == '-') {
			while (at < text.size && is_separator(text.data[at]))
				at++;
			continue;
		}
		if (at == text.size || (stem.data[i] == '_' ? !is_separator(text.data[at]) : text.data[at] != stem.data[i]))
			return false;
		at++;
	}
	return true;
}

size_t
stems_find(struct slice text, const char *stems)
{
	size_t first = text.size;
	struct slice list = slice_of(stems), stem;
	while (slice_next(&list, ' ', &stem))
		for (size_t at = 0; at < first; at++)
			if ((text.data[at] == stem.data[0] || stem.data[0] == '_') &&
			    begins_with(slice_sub(text, at, text.size), stem))
				first = at;
	return first;
}

bool
stems_occur(struct slice text, const char *stems)
{
	return stems_find(text, stems) < text.size;
}

bool
stems_has_word(struct slice text, const char *words)
{
	size_t begin = 0;
	for (size_t at = 0; at <= text.size; at++) {
		if (at < text.size && !is_separator(text.data[at]))
			continue;
		if (slice_is_listed(slice_sub(text, begin, at), words))
			return true;
		begin = at + 1;
	}
	return false;
}
