/* SPDX-License-Identifier: MIT
 * GET /metrics (docs/operating.md 12.1). */
#ifndef LEADHOOK_API_HANDLERS_METRICS_CALL_H
#define LEADHOOK_API_HANDLERS_METRICS_CALL_H

#include "api/call/api_call.h"

call_handler handle_metrics;

#endif
