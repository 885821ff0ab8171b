/* SPDX-License-Identifier: MIT
 * Health, metrics (docs/operating.md 12.1), and the route by which `leadhook doctor` learns what part of its request reaches
 * the program (docs/api.md 4.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_health, handle_ready, handle_metrics, handle_echo;
