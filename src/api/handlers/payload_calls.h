/* SPDX-License-Identifier: MIT
 * Calls of the URLs of inbound webhooks: payloads of other systems that become leads (docs/inbound.md). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_inbound, handle_inbound_check;
