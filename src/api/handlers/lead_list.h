/* SPDX-License-Identifier: MIT
 * Leads page by page (docs/api.md 4.1.2). */
#ifndef LEADHOOK_API_HANDLERS_LEAD_LIST_H
#define LEADHOOK_API_HANDLERS_LEAD_LIST_H

#include "api/call/api_call.h"

call_handler handle_list_leads;

#endif
