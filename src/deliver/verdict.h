/* SPDX-License-Identifier: MIT
 * What an attempt's result means for its delivery and its webhook (delivery.md 3). No I/O. */
#ifndef LEADHOOK_DELIVER_VERDICT_H
#define LEADHOOK_DELIVER_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/delivery.h"
#include "core/retry.h"
#include "deliver/sender.h"

struct verdict {
	enum delivery_state state; /* PENDING: tried again */
	int64_t retry_in_ms;       /* from the attempt's end, when PENDING */
	int64_t webhook_hold_ms;   /* > 0: nothing to this webhook for that long */
	bool webhook_gone;         /* never anything again */
};

/* `attempt` counts from 1; `now_ms` is the database's time at the attempt's end. */
struct verdict verdict_of(
    const struct retry_schedule *schedule, unsigned attempt, const struct attempt_result *result, int64_t now_ms);

#endif
