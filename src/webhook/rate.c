/* SPDX-License-Identifier: MIT */
#include "webhook/rate.h"

enum { BURSTS = 10 /* per second */, US_PER_MS = 1000, US_PER_S = 1000000 };

static int64_t
each_us(const struct rate *rate)
{
	return US_PER_S / (int64_t)rate->per_second;
}

/* How many deliveries a tenth of a second allows, at least one. */
static int64_t
burst(const struct rate *rate)
{
	return rate->per_second < BURSTS ? 1 : rate->per_second / BURSTS;
}

/* How far ahead of the present the deliveries so far are. Never more than a second, unless the clock was set back. */
static int64_t
ahead_us(const struct rate *rate, int64_t now_ms)
{
	const int64_t ahead = rate->limited_until_us - now_ms * US_PER_MS;
	return ahead > 0 && ahead <= US_PER_S ? ahead : 0;
}

size_t
rate_allows(const struct rate *rate, int64_t now_ms)
{
	if (rate->per_second == 0)
		return SIZE_MAX;
	const int64_t left_us = burst(rate) * each_us(rate) - ahead_us(rate, now_ms);
	return left_us > 0 ? (size_t)(left_us / each_us(rate)) : 0;
}

int64_t
rate_next_ms(const struct rate *rate)
{
	return (rate->limited_until_us - (burst(rate) - 1) * each_us(rate) + US_PER_MS - 1) / US_PER_MS;
}

void
rate_start(struct rate *rate, int64_t now_ms)
{
	if (rate->per_second == 0)
		return;
	rate->limited_until_us = now_ms * US_PER_MS + ahead_us(rate, now_ms) + each_us(rate);
}
