/* SPDX-License-Identifier: MIT
 * multipart/form-data bodies (RFC 7578, RFC 2046 5.1): fields only. Takes linear time.
 *
 * Files are refused. If no file is chosen, a browser sends a part without file name and contents: it is left out. */
#include <string.h>

#include "http/header.h"
#include "http/http_text.h"
#include "http/params_table.h"

enum { BOUNDARY_MAXIMUM = 70 }; /* RFC 2046, 5.1.1 */

#define LINE_END "\r\n"

static bool
fail_malformed(struct params_source *source)
{
	return params_fail(source, HTTP_INVALID_PARAMETER, "The multipart form is malformed");
}

/* Whether the text after a boundary makes it a delimiter: "--" after the *last one, the end of the line after any other. If so,
 * sets *rest to the text after that line. */
static bool
end_delimiter(struct slice after, struct slice *rest, bool *last)
{
	*last = slice_starts_with(after, SLICE("--"));
	if (*last)
		return true;
	size_t at = 0; /* RFC 2046 allows white space here */
	while (at < after.size && (after.data[at] == ' ' || after.data[at] == '\t'))
		at++;
	after = slice_sub(after, at, after.size);
	if (!slice_starts_with(after, SLICE(LINE_END)))
		return false;
	*rest = slice_sub(after, sizeof(LINE_END) - 1, after.size);
	return true;
}

/* Takes the part before the next delimiter (line end, "--", boundary) off *rest. Returns false if there is no delimiter. */
static bool
take_part(struct slice *rest, struct slice delimiter, struct slice *part, bool *last)
{
	struct slice all = *rest;
	for (size_t from = 0; from < all.size;) {
		size_t at = from + slice_find_part(slice_sub(all, from, all.size), delimiter);
		if (at == all.size)
			return false;
		from = at + delimiter.size;
		if (end_delimiter(slice_sub(all, from, all.size), rest, last)) {
			*part = slice_sub(all, 0, at);
			return true;
		}
	}
	return false;
}

/* The Content-Disposition header of the part, or absent. */
static struct slice
find_disposition(struct slice headers)
{
	const struct slice name = SLICE("Content-Disposition:");
	struct slice line;
	while (slice_next(&headers, '\n', &line))
		if (slice_starts_with_nocase(line, name))
			return slice_trim(slice_sub(line, name.size, line.size));
	return SLICE_NONE;
}

static bool
read_part(struct params_source *source, struct slice part)
{
	const struct slice end = SLICE(LINE_END LINE_END);
	size_t at = slice_find_part(part, end);
	struct slice rest = find_disposition(slice_sub(part, 0, at)), field = SLICE_NONE, name, value;
	bool is_file = false, is_named = false;
	if (at == part.size || !slice_equal_nocase(http_header_value(&rest), SLICE("form-data")))
		return fail_malformed(source);
	while (http_header_parameter(source->pool, &rest, &name, &value)) {
		if (slice_equal_nocase(name, SLICE("name")))
			field = http_name_clean(source->pool, value);
		const bool extended = slice_equal_nocase(name, SLICE("filename*"));
		is_file = is_file || extended || slice_equal_nocase(name, SLICE("filename"));
		is_named = is_named || extended || (slice_equal_nocase(name, SLICE("filename")) && value.size > 0);
	}
	const struct slice contents = slice_sub(part, at + end.size, part.size);
	if (!params_begin_field(source, field) ||
	    (is_file && ((!is_named && contents.size == 0) || source->kind == HTTP_NAME_INFORMS)))
		return true;
	return is_file ? params_fail_named(source, field, "must not be a file") : params_add_field(source, field, contents);
}

bool
params_read_multipart(struct params_source *source, struct slice text, struct slice boundary)
{
	if (boundary.size == 0 || boundary.size > BOUNDARY_MAXIMUM)
		return fail_malformed(source);
	struct slice delimiter = pool_printf(source->pool, LINE_END "--%.*s", SLICE_ARGS(boundary));
	struct slice rest = text, part;
	bool last = false;
	/* The first delimiter may be at the start of the body, without its line end. Text before it is a preamble and is
	 * ignored. */
	struct slice first = slice_sub(delimiter, sizeof(LINE_END) - 1, delimiter.size);
	bool at_start = slice_starts_with(text, first) && end_delimiter(slice_sub(text, first.size, text.size), &rest, &last);
	if (!at_start && (!take_part(&rest, delimiter, &part, &last) || last))
		return fail_malformed(source);
	while (!last) {
		if (!take_part(&rest, delimiter, &part, &last))
			return fail_malformed(source);
		if (!read_part(source, part))
			return false;
	}
	return true;
}
