/* SPDX-License-Identifier: MIT
 * What is sent for a delivery: where to, body and headers (docs/deliveries.md 2). No I/O. */
#ifndef LEADHOOK_DELIVER_REQUEST_H
#define LEADHOOK_DELIVER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "deliver/sender.h"
#include "store/queue/dispatch.h"

/* Fills in the attempt, copying all that it needs of the delivery into the pool. `now_ms` is the database's time. False when
 * there is nothing to be sent: the URL, the secret or the payload is broken. */
MUST_CHECK bool request_make(struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct attempt *attempt);

#endif
