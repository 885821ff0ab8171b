/* SPDX-License-Identifier: MIT */
#include "limit/rule.h"

#include "base/duration.h"
#include "base/panic.h"

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

uint32_t
limit_share(uint32_t limit, uint32_t hosts)
{
	require(hosts > 0);
	return limit / hosts + (limit % hosts > 0 ? 1 : 0);
}

void
limit_rule_share(struct limit_rule *rule, uint32_t hosts)
{
	for (size_t i = 0; i < rule->count; i++)
		rule->windows[i].limit = limit_share(rule->windows[i].limit, hosts);
}
