/* SPDX-License-Identifier: MIT
 * Campaigns: their counters, tags, actions and challenges; and the health routes. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_health, handle_ready, handle_campaigns, handle_stats, handle_list_actions, handle_list_tags,
    handle_challenge;

/* The campaigns of the key's account, by id, and the time. False: the call has failed. */
MUST_CHECK bool call_list_campaigns(struct call *call, struct campaign **campaigns, size_t *count);
