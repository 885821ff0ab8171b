/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign (docs/deliveries.md 1). */
#ifndef LEADHOOK_API_HANDLERS_WEBHOOK_CALLS_H
#define LEADHOOK_API_HANDLERS_WEBHOOK_CALLS_H

#include "api/call/api_call.h"

call_handler handle_put_webhook, handle_remove_webhook, handle_list_webhooks;

#endif
