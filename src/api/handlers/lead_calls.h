/* SPDX-License-Identifier: MIT
 * Calls about one lead: sign up, look up, complete an action, tag (docs/api.md 4.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_signup, handle_lookup, handle_complete_action, handle_tag_lead;

/* Answers with a lead, or fails. */
void call_show_lead(struct call *call, struct lead_reference lead, struct payload_view view);
