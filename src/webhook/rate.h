/* SPDX-License-Identifier: MIT
 * The rate limit of a webhook (docs/deliveries.md 4): deliveries per second, evenly spaced; above ten per second in bursts of a
 * tenth of a second. Pure: the time is an argument. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Zero-initialized: no limit. */
struct rate {
	unsigned per_second;      /* 0: no limit */
	int64_t limited_until_us; /* when the deliveries so far would end, at one per 1/per_second s */
};

/* How many deliveries may start now; SIZE_MAX without a limit. */
size_t rate_allows(const struct rate *rate, int64_t now_ms);
/* When the next delivery may start, with a limit. */
int64_t rate_next_ms(const struct rate *rate);
/* Records the start of a delivery. */
void rate_start(struct rate *rate, int64_t now_ms);
