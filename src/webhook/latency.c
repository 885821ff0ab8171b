/* SPDX-License-Identifier: MIT */
#include "webhook/latency.h"

/* Inclusive upper bounds in ms. */
static const int64_t bounds[LATENCY_BUCKETS - 1] = { 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000 };

size_t
latency_bucket(int64_t duration_ms)
{
	size_t bucket = 0;
	while (bucket < LATENCY_BUCKETS - 1 && duration_ms > bounds[bucket])
		bucket++;
	return bucket;
}

int64_t
latency_percentile(const uint64_t buckets[LATENCY_BUCKETS], unsigned percent)
{
	uint64_t attempts = 0, below = 0;
	size_t bucket = 0;
	for (size_t i = 0; i < LATENCY_BUCKETS; i++)
		attempts += buckets[i];
	if (attempts == 0)
		return -1;
	const double rank = (double)attempts * percent / 100;
	while (bucket < LATENCY_BUCKETS - 1 && (double)(below + buckets[bucket]) < rank)
		below += buckets[bucket++];
	if (bucket == LATENCY_BUCKETS - 1)
		return bounds[bucket - 1];
	const double lower = bucket == 0 ? 0 : (double)bounds[bucket - 1];
	const double part = (rank - (double)below) / (double)buckets[bucket];
	return (int64_t)(lower + ((double)bounds[bucket] - lower) * part + 0.5);
}
