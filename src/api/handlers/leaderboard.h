/* SPDX-License-Identifier: MIT
 * The leaderboard (docs/api.md 4.1.2). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_leaderboard;

/* The answer of a leaderboard with this lead as `me`, without a key and the lead's token. False: the call has failed. */
MUST_CHECK bool call_find_leaders(struct call *call, size_t limit, struct slice social_id, struct slice *json);
