/* SPDX-License-Identifier: MIT
 * Decides the result of an attempt for its delivery and for its webhook (docs/deliveries.md 3), and logs it. */
#pragma once

#include <stdint.h>

#include "deliver/scheduler.h"
#include "deliver/send/sender.h"
#include "deliver/slots.h"

/* The attempt is done: ends its slot, updates the webhook's concurrency and sets holds. `now_ms` is in clock_monotonic_ms, as
 * in the slots; the database's clock is `ahead_ms` ahead of it. */
void judge_attempt(
    struct scheduler *scheduler, struct slot *slot, const struct attempt_result *result, int64_t now_ms, int64_t ahead_ms);
