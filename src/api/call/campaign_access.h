/* SPDX-License-Identifier: MIT
 * The campaign that a call names, and whether it takes the call. */
#pragma once

#include "api/call/api_call.h"

/* The campaign id of the path, or of the first parameter for it; 0 when there is no valid one. False: the call has failed. */
MUST_CHECK bool call_campaign_id(struct call *call, uint64_t *id);
/* Why the campaign's settings or its state refuse the call; FAILURE_NONE: they do not. */
enum failure call_refusal(const struct call *call);
