/* SPDX-License-Identifier: MIT
 * Queries and application/x-www-form-urlencoded bodies (WHATWG URL Standard, 5.1). */
#include "http/http_text.h"
#include "http/params_table.h"

/* Takes the next field that is not empty or dropped. */
static bool
next_field(struct params_source *source, struct slice *rest, struct slice *name, struct slice *value)
{
	struct slice field;
	while (slice_next(rest, '&', &field)) {
		const size_t equals = slice_find(field, '=');
		*name = http_name_clean(source->pool, http_decode_form(source->pool, slice_sub(field, 0, equals)));
		if (slice_trim(field).size == 0 || !params_begin_field(source, *name))
			continue;
		*value = http_decode_form(source->pool, slice_sub(field, equals + 1, field.size));
		return true;
	}
	return false;
}

bool
params_read_form(struct params_source *source, struct slice text)
{
	struct slice name, value;
	while (next_field(source, &text, &name, &value))
		if (!params_add_field(source, name, value))
			return false;
	return true;
}

bool
params_read_lines(struct params_source *source, struct slice text)
{
	struct slice line;
	while (slice_next(&text, '\n', &line)) {
		const size_t equals = slice_find(line, '=');
		const struct slice name = http_name_clean(source->pool, slice_sub(line, 0, equals));
		if (equals < line.size && params_begin_field(source, name) &&
		    !params_add_field(source, name, slice_sub(line, equals + 1, line.size)))
			return false;
	}
	return true;
}

bool
params_read_query(struct params_source *source, struct slice text)
{
	struct slice name, value;
	bool valid = true;
	while (next_field(source, &text, &name, &value))
		if (!params_add_field(source, name, value)) {
			source->problem = NULL; /* only the first problem is reported */
			valid = false;
		}
	return valid;
}
