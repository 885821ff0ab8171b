/* SPDX-License-Identifier: MIT */
#include "core/link.h"

/* A scheme's characters behind the first, which is a letter (RFC 3986, 3.1). */
static bool
continues_scheme(char c)
{
	return ascii_is_alpha(c) || ascii_is_digit(c) || c == '+' || c == '-' || c == '.';
}

bool
link_is_web(struct slice link)
{
	char scheme[sizeof("https")];
	size_t size = 0;
	for (size_t i = 0; i < link.size; i++) {
		char c = link.data[i];
		if (c == '\t' || c == '\n' || c == '\r' || (size == 0 && (unsigned char)c <= ' '))
			continue;
		if (c == ':' && size > 0)
			return slice_equal_nocase((struct slice){ scheme, size }, SLICE("http")) ||
			       slice_equal_nocase((struct slice){ scheme, size }, SLICE("https"));
		if (size == 0 ? !ascii_is_alpha(c) : !continues_scheme(c))
			return true;
		/* one place more than the longest that is accepted */
		if (size < sizeof(scheme))
			scheme[size++] = c;
	}
	return true;
}
