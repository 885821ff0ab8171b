/* SPDX-License-Identifier: MIT
 * Builds the HTTP request of a delivery: URL, body and headers (docs/deliveries.md 2). No I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "deliver/send/sender.h"
#include "store/queue/due_deliveries.h"

/* Fills in the attempt, in the pool. Its body may be the delivery's payload, which must stay valid as long as the attempt.
 * `now_ms` is the database's time. Returns false when the URL, the secret or the payload is invalid. */
MUST_CHECK bool delivery_request_make(
    struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct attempt *attempt);
