/* SPDX-License-Identifier: MIT */
#include "limit/rule.h"

#include "base/duration.h"

static bool
parse_window(struct slice text, struct limit_window *window)
{
	uint64_t limit;
	const size_t stroke = slice_find(text, '/');
	if (stroke == text.size || !slice_to_u64(slice_sub(text, 0, stroke), LIMIT_MAX, &limit) || limit == 0)
		return false;
	window->limit = (uint32_t)limit;
	return duration_parse(slice_sub(text, stroke + 1, text.size), &window->ms) && window->ms > 0 &&
	       window->ms <= LIMIT_WINDOW_MAX_MS && window->ms % LIMIT_WINDOW_STEP_MS == 0;
}

bool
limit_rule_parse(struct slice text, struct limit_rule *rule, struct slice *bad)
{
	*rule = (struct limit_rule){ .count = 0 };
	while (slice_next_item(&text, bad)) {
		if (rule->count == LIMIT_WINDOWS_MAX || !parse_window(*bad, &rule->windows[rule->count]))
			return false;
		rule->count++;
	}
	return true;
}
