/* SPDX-License-Identifier: MIT
 * Why a delivery is still pending. */
#pragma once

#include "deliver/lock.h"
#include "operation/operation.h"
#include "store/operator/deliveries.h"

/* Reads from the lock file what this host's dispatcher is working on. */
struct dispatcher_seen dispatcher_of_host(struct operation_call *call);
/* Of several reasons, the one that will last longest. Absent if the delivery has ended. */
struct slice delivery_waits_for(
    const struct operation_call *call, const struct delivery_row *delivery, const struct dispatcher_seen *here);
