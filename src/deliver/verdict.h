/* SPDX-License-Identifier: MIT
 * What an attempt comes to, for its delivery and for its webhook (docs/deliveries.md 3); logged. */
#ifndef LEADHOOK_DELIVER_VERDICT_H
#define LEADHOOK_DELIVER_VERDICT_H

#include <stdint.h>

#include "deliver/scheduler.h"
#include "deliver/sender.h"
#include "deliver/slots.h"

/* An attempt is done: its slot has ended, its webhook has its new window, and is held where that follows. `now_ms` is
 * clock_monotonic_ms, which the slots count in; the database's clock is that much ahead. */
void verdict_pass(
    struct scheduler *scheduler, struct slot *slot, const struct attempt_result *result, int64_t now_ms, int64_t ahead_ms);

#endif
