/* SPDX-License-Identifier: MIT
 * Counts of the attempts of webhooks by the hour in which they began, written in the transaction that records their outcomes.
 * In the pool of the caller. Internal to this folder. */
#pragma once

#include "store/queue/dispatch.h"

struct attempt_hours;

/* For `capacity` outcomes at most. */
struct attempt_hours *store_attempt_hours(struct pool *pool, size_t capacity);
/* `ends`: the delivery ends with it. */
void store_count_attempt(struct attempt_hours *hours, const struct delivery_outcome *outcome, bool ends, int64_t now_ms);
/* One statement for all. */
MUST_CHECK enum result store_write_attempt_hours(struct store *store, struct pool *pool, const struct attempt_hours *hours);
