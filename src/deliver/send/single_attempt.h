/* SPDX-License-Identifier: MIT
 * Sends one delivery once, as the dispatcher sends it, and records nothing. Blocks until the attempt is done. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "deliver/send/sender.h"
#include "store/queue/due_deliveries.h"

/* The result lives in the pool; it has no retry_after. `now_ms` is the database's time. Returns false when this host cannot
 * send at all. */
MUST_CHECK bool single_attempt_send(struct pool *pool, const struct sender_options *options,
    const struct due_delivery *delivery, int64_t now_ms, struct attempt_result *result);
