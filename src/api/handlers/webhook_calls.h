/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign: outbound (docs/deliveries.md 1) and inbound (docs/api.md 4.1.7). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_put_webhook, handle_remove_webhook, handle_list_webhooks, handle_put_inbound, handle_remove_inbound,
    handle_list_inbound;
