/* SPDX-License-Identifier: MIT
 * Queries and application/x-www-form-urlencoded bodies (WHATWG URL Standard, 5.1). */
#include "http/params_table.h"
#include "http/text.h"

/* Takes the next non-empty field. */
static bool
next_field(struct pool *pool, struct slice *rest, struct slice *name, struct slice *value)
{
	struct slice field;
	do {
		if (!slice_next(rest, '&', &field))
			return false;
	} while (field.size == 0);
	size_t equals = slice_find(field, '=');
	*name = http_decode_form(pool, slice_sub(field, 0, equals));
	*value = http_decode_form(pool, slice_sub(field, equals + 1, field.size));
	return true;
}

bool
params_read_form(struct params_source *source, struct slice text)
{
	struct slice name, value;
	while (next_field(source->pool, &text, &name, &value))
		if (!params_add_field(source, name, value))
			return false;
	return true;
}

bool
params_read_query(struct params_source *source, struct slice text)
{
	struct http_problem later;
	struct slice name, value;
	bool valid = true;
	while (next_field(source->pool, &text, &name, &value))
		if (!params_add_field(source, name, value)) {
			source->problem = &later;
			valid = false;
		}
	return valid;
}
