/* SPDX-License-Identifier: MIT
 * Calls about single leads, and lists of them: sign up, look up, complete an action, tag (docs/api.md 4.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_signup, handle_lookup, handle_lead_of_path, handle_complete_action, handle_action, handle_tag_lead,
    handle_list_leads;
