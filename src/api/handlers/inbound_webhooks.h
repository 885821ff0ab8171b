/* SPDX-License-Identifier: MIT
 * Inbound webhooks of a campaign: made, changed, listed, removed (docs/api.md 4.1.7). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_put_inbound, handle_remove_inbound, handle_list_inbound;
