/* SPDX-License-Identifier: MIT
 * GET /metrics (docs/operating.md 12.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_metrics;
