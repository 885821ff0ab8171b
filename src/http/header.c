/* SPDX-License-Identifier: MIT */
#include "http/header.h"

struct slice
http_header_value(struct slice *rest)
{
	size_t end = slice_find(*rest, ';');
	struct slice value = slice_trim(slice_sub(*rest, 0, end));
	*rest = slice_sub(*rest, end, rest->size);
	return value;
}

/* Browsers escape only '"', as %22 (WHATWG HTML, multipart/form-data), and send file names with backslashes. So a backslash is
 * an escape only before a quote or another backslash. */
static bool
is_escape(struct slice text, size_t at)
{
	return text.data[at] == '\\' && at + 1 < text.size && (text.data[at + 1] == '"' || text.data[at + 1] == '\\');
}

/* Takes a quoted string off the front. Allocates no more than the size of the string, because a header may have thousands of
 * them. */
static struct slice
take_quoted(struct pool *pool, struct slice *rest)
{
	size_t end = 1, size = 0;
	while (end < rest->size && rest->data[end] != '"')
		end += is_escape(*rest, end) ? 2 : 1;
	struct slice inside = slice_sub(*rest, 1, end);
	char *out = pool_alloc(pool, inside.size + 1);
	for (size_t at = 0; at < inside.size; at++) {
		at += is_escape(inside, at) ? 1 : 0;
		out[size++] = inside.data[at];
	}
	*rest = slice_sub(*rest, end + 1, rest->size);
	return (struct slice){ out, size };
}

bool
http_header_parameter(struct pool *pool, struct slice *rest, struct slice *name, struct slice *value)
{
	/* text between a quoted string and the next ';' is ignored */
	size_t start = slice_find(*rest, ';') + 1;
	*rest = slice_trim(slice_sub(*rest, start, rest->size));
	if (rest->size == 0)
		return false;
	size_t end = slice_find(*rest, ';'), equals = slice_find(slice_sub(*rest, 0, end), '=');
	*name = slice_trim(slice_sub(*rest, 0, equals));
	*value = SLICE("");
	struct slice after = slice_trim(slice_sub(*rest, equals + 1, rest->size));
	if (equals < end && slice_starts_with(after, SLICE("\""))) {
		*value = take_quoted(pool, &after);
		*rest = after;
		return true;
	}
	if (equals < end)
		*value = slice_trim(slice_sub(*rest, equals + 1, end));
	*rest = slice_sub(*rest, end, rest->size);
	return true;
}
