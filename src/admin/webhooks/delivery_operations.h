/* SPDX-License-Identifier: MIT
 * Why a delivery is still pending. */
#pragma once

#include "deliver/lock.h"
#include "operation/operation.h"
#include "store/operator/deliveries.h"

/* The work of this host's dispatcher, as its lock file shows it. */
struct dispatcher_seen dispatcher_of_host(struct operation_call *call);
/* The reason that holds longest. Absent when the delivery has ended. */
struct slice delivery_waits_for(
    const struct operation_call *call, const struct delivery_row *delivery, const struct dispatcher_seen *here);
