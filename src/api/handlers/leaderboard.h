/* SPDX-License-Identifier: MIT
 * The leaderboard (docs/api.md 4.1.2). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_leaderboard;

/* The leaderboard with this lead as `me`, as it is answered without a key and without the lead's token. False: the call has
 * failed. */
MUST_CHECK bool call_find_leaders(struct call *call, size_t limit, struct slice social_id, struct slice *json);
