/* SPDX-License-Identifier: MIT */
#include "limit/window.h"

#include <string.h>

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

struct ring_shape
ring_shape_of(const struct limit_window *window)
{
	require(window->limit > 0 && window->limit <= LIMIT_MAX * LIMIT_FACTOR_MAX);
	require(window->ms > 0 && window->ms <= LIMIT_WINDOW_MAX_MS && window->ms % LIMIT_WINDOW_STEP_MS == 0);
	return (struct ring_shape){
		.width = window->limit <= UINT8_MAX    ? 1
			 : window->limit <= UINT16_MAX ? 2
						       : 4,
		.part_ms = window->ms / WINDOW_PARTS,
	};
}

size_t
ring_bytes(const struct ring_shape *shape)
{
	return (WINDOW_COUNTERS * shape->width + 3) / 4 * 4;
}

static uint32_t
counter(const struct ring *ring, uint32_t part)
{
	const size_t at = part % WINDOW_COUNTERS;
	switch (ring->shape->width) {
	case 1:
		return ring->counters[at];
	case 2:
		return ((const uint16_t *)(const void *)ring->counters)[at];
	default:
		return ((const uint32_t *)(const void *)ring->counters)[at];
	}
}

static void
set_counter(const struct ring *ring, uint32_t part, uint32_t value)
{
	const size_t at = part % WINDOW_COUNTERS;
	switch (ring->shape->width) {
	case 1:
		ring->counters[at] = (unsigned char)value;
		break;
	case 2:
		((uint16_t *)(void *)ring->counters)[at] = (uint16_t)value;
		break;
	default:
		((uint32_t *)(void *)ring->counters)[at] = value;
	}
}

/* `newest` is written last: if a process crashes before that, the next one repeats everything. If the clock went back, which it
 * never does under a lock, the difference would be huge. */
static void
drop_old(const struct ring *ring, uint32_t now)
{
	const uint32_t newest = *ring->newest;
	if (now - newest >= WINDOW_COUNTERS)
		memset(ring->counters, 0, ring_bytes(ring->shape));
	else
		for (uint32_t part = newest + 1; part <= now; part++)
			set_counter(ring, part, 0);
	*ring->newest = now;
}

uint32_t
ring_count(const struct ring *ring, int64_t now_ms)
{
	uint32_t sum = 0;
	drop_old(ring, (uint32_t)(now_ms / ring->shape->part_ms));
	for (uint32_t i = 0; i < WINDOW_COUNTERS; i++)
		sum += counter(ring, i);
	return sum;
}

int64_t
ring_wait_ms(const struct ring *ring, uint32_t limit, int64_t now_ms)
{
	require(limit > 0);
	uint32_t left = ring_count(ring, now_ms), gone = 0;
	/* The counter after the newest part holds the oldest part. */
	while (left >= limit && gone < WINDOW_COUNTERS)
		left -= counter(ring, *ring->newest + ++gone);
	return gone == 0 ? 0 : (*ring->newest + (int64_t)gone) * ring->shape->part_ms - now_ms;
}

void
ring_add(const struct ring *ring)
{
	set_counter(ring, *ring->newest, counter(ring, *ring->newest) + 1);
}
