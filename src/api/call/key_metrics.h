/* SPDX-License-Identifier: MIT
 * KEY_METRICS: who may read the metrics (docs/operating.md 12.1). */
#ifndef LEADHOOK_API_CALL_KEY_METRICS_H
#define LEADHOOK_API_CALL_KEY_METRICS_H

#include "api/call/api_call.h"

/* Also applies the limits of the address. False: the call has failed. */
MUST_CHECK bool call_check_metrics(struct call *call);

#endif
