/* SPDX-License-Identifier: MIT
 * Actions that pages complete without a key (docs/api.md 4.1.3). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_action;
