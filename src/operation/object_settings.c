/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/buffer.h"
#include "operation/operation.h"

enum { SHOWN_MAX_BYTES = 100, LISTED_MAX_BYTES = 8192, ALIKE_MIN_BYTES = 3 };

const struct parameter *
settings_find(const struct settings_table *table, struct slice name)
{
	for (size_t i = 0; i < table->count; i++)
		if (slice_equal(name, slice_of(table->rows[i].name)))
			return &table->rows[i];
	return NULL;
}

bool
settings_have(const struct operation_call *call, const char *name)
{
	const struct settings_table *table = call->operation->settings;
	const struct parameter *row = settings_find(table, slice_of(name));
	return row != NULL && call->settings.given[row - table->rows];
}

void
settings_assign(const struct operation_call *call, void *target)
{
	const struct settings_table *table = call->operation->settings;
	for (size_t i = 0; i < table->count; i++) {
		const struct parameter *row = &table->rows[i];
		if (call->settings.given[i])
			memcpy((char *)target + row->place, call->settings.values + row->place, row->type->size);
	}
}

/* The setting whose name has the longest beginning in common with this one; NULL if none is similar. */
static const char *
most_similar(const struct settings_table *table, struct slice name)
{
	const char *best = NULL;
	size_t most = ALIKE_MIN_BYTES - 1;
	for (size_t i = 0; i < table->count; i++) {
		const char *row = table->rows[i].name;
		size_t size = 0;
		while (size < name.size && row[size] != '\0' && ascii_lower(name.data[size]) == row[size])
			size++;
		if (size > most) {
			most = size;
			best = row;
		}
	}
	return best;
}

static void
fail_unknown(struct operation_call *call, const struct settings_table *table, struct slice name)
{
	const char *best = most_similar(table, name);
	const struct slice shown = slice_sub(name, 0, SHOWN_MAX_BYTES);
	struct buffer all;
	buffer_init(&all, LISTED_MAX_BYTES);
	for (size_t i = 0; best == NULL && i < table->count; i++)
		buffer_printf(&all, "%s%s", i == 0 ? "" : ", ", table->rows[i].name);
	if (best != NULL)
		operation_fail(call, PROBLEM_INVALID, "%s has no setting \"%.*s\"; did you mean %s?", table->owner,
		    SLICE_ARGS(shown), best);
	else
		operation_fail(call, PROBLEM_INVALID, "%s has no setting \"%.*s\"; there are: %.*s", table->owner,
		    SLICE_ARGS(shown), SLICE_ARGS(buffer_slice(&all)));
	buffer_free(&all);
}

static bool
fail_value(struct operation_call *call, const struct parameter *row, const char *expected, struct slice invalid)
{
	operation_fail_setting(
	    call, row->name, "expected %s%s%.*s", expected, invalid.size > 0 ? ", not " : "", SLICE_ARGS(invalid));
	return false;
}

bool
settings_set(struct operation_call *call, struct slice name, struct slice value)
{
	const struct settings_table *table = call->operation->settings;
	const struct parameter *row = settings_find(table, name);
	struct value_reading reading = { .pool = call->pool, .is_remote = call->is_remote, .invalid = SLICE_NONE };
	if (row == NULL) {
		fail_unknown(call, table, name);
		return false;
	}
	if ((row->flags & PARAMETER_OPERATOR) != 0 && !caller_is_operator(call->caller)) {
		operation_fail(call, PROBLEM_FORBIDDEN, "only an operator may set %s", row->name);
		return false;
	}
	call->needs_password = call->needs_password || parameter_needs_password(row, value);
	reading.type = row->type;
	reading.expected = row->type->expected;
	if (!row->type->parse(&reading, value, call->settings.values + row->place))
		return fail_value(call, row, reading.expected,
		    slice_present(reading.invalid) ? reading.invalid : slice_sub(value, 0, SHOWN_MAX_BYTES));
	call->settings.given[row - table->rows] = true;
	return true;
}

bool
settings_take(struct operation_call *call, struct slice text)
{
	const size_t equals = slice_find(text, '=');
	const struct parameter *row = settings_find(call->operation->settings, slice_sub(text, 0, equals));
	if (equals == text.size && row != NULL)
		return fail_value(call, row, row->type->expected, SLICE(""));
	return settings_set(call, slice_sub(text, 0, equals), slice_sub(text, equals + 1, text.size));
}
