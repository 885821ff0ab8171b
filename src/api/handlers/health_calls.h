/* SPDX-License-Identifier: MIT
 * Health, metrics (docs/operating.md 12.1), and the route of `leadhook doctor`, which learns from it what of its request
 * arrives at the program (docs/api.md 4.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_health, handle_ready, handle_metrics, handle_echo;
