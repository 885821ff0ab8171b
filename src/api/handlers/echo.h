/* SPDX-License-Identifier: MIT
 * The route of `leadhook doctor`, which learns from it what of its request arrives at the program (docs/api.md 4.1). For all
 * other callers the path is unknown. The answer has nothing but the caller's own request. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_echo;
