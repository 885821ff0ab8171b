/* SPDX-License-Identifier: MIT */
#include "base/duration.h"

#include "base/panic.h"

/* In descending order. */
static const struct {
	struct slice unit;
	int64_t ms;
} units[] = {
	{ { "d", 1 }, DAY_MS },
	{ { "h", 1 }, HOUR_MS },
	{ { "m", 1 }, MINUTE_MS },
	{ { "s", 1 }, SECOND_MS },
	{ { "ms", 2 }, 1 },
};

bool
duration_parse(struct slice text, int64_t *ms)
{
	size_t digits = 0;
	uint64_t number;
	while (digits < text.size && ascii_is_digit(text.data[digits]))
		digits++;
	struct slice unit = slice_sub(text, digits, text.size);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!slice_equal(unit, units[i].unit))
			continue;
		if (!slice_to_u64(slice_sub(text, 0, digits), (uint64_t)(INT64_MAX / units[i].ms), &number))
			return false;
		*ms = (int64_t)number * units[i].ms;
		return true;
	}
	return false;
}

void
duration_add(struct buffer *out, int64_t ms)
{
	require(ms >= 0);
	size_t i = 0;
	while (i + 1 < ARRAY_SIZE(units) && (ms == 0 || ms % units[i].ms != 0))
		i++;
	buffer_add_i64(out, ms / units[i].ms);
	buffer_add(out, units[i].unit);
}
