/* SPDX-License-Identifier: MIT
 * Calls of older clients that the /v2 calls have no form of (docs/api.md 4.1.6). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_lead_of_path, handle_landing_pages, handle_authenticate;
