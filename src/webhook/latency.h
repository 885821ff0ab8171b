/* SPDX-License-Identifier: MIT
 * Durations of attempts in buckets (docs/statistics.md 3): percentiles of any period from the sums of its buckets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The buckets of the table webhook_hours. */
enum { LATENCY_BUCKETS = 10 };

/* The bucket of a duration. The last one has no upper bound. */
size_t latency_bucket(int64_t duration_ms);
/* The duration in ms that this percentage (1 to 99) of the attempts did not exceed, estimated as if the attempts in its bucket
 * were evenly spread. If it is in the last bucket, the lower bound of that bucket; -1 if there were no attempts. */
int64_t latency_percentile(const uint64_t buckets[LATENCY_BUCKETS], unsigned percent);
