/* SPDX-License-Identifier: MIT
 * Campaigns: their counters, tags, actions and challenges; the first calls of older plugins (docs/api.md 4.1.6, 4.1.8). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_campaigns, handle_stats, handle_list_actions, handle_list_tags, handle_challenge, handle_landing_pages,
    handle_authenticate;
