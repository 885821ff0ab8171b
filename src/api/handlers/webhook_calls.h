/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign (docs/deliveries.md 1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_put_webhook, handle_remove_webhook, handle_list_webhooks;
