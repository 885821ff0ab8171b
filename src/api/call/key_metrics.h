/* SPDX-License-Identifier: MIT
 * KEY_METRICS: who may read the metrics (docs/operating.md 12.1). */
#pragma once

#include "api/call/api_call.h"

/* Also applies the limits of the address. False: the call has failed. */
MUST_CHECK bool call_check_metrics(struct call *call);
