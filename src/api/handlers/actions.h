/* SPDX-License-Identifier: MIT
 * Actions that pages complete without a key (docs/api.md 4.1.3). */
#ifndef LEADHOOK_API_HANDLERS_ACTIONS_H
#define LEADHOOK_API_HANDLERS_ACTIONS_H

#include "api/call/api_call.h"

call_handler handle_action;

#endif
