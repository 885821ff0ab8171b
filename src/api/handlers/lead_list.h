/* SPDX-License-Identifier: MIT
 * Leads page by page (docs/api.md 4.1.2). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_list_leads;
