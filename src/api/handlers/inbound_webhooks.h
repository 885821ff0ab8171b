/* SPDX-License-Identifier: MIT
 * Inbound webhooks of a campaign: made, changed, listed, removed (docs/api.md 4.1.7). */
#ifndef LEADHOOK_API_HANDLERS_INBOUND_WEBHOOKS_H
#define LEADHOOK_API_HANDLERS_INBOUND_WEBHOOKS_H

#include "api/call/api_call.h"

call_handler handle_put_inbound, handle_remove_inbound, handle_list_inbound;

#endif
