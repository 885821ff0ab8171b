/* SPDX-License-Identifier: MIT
 * KEY_PROBE: the token of `leadhook doctor`, without which the path is unknown. */
#ifndef LEADHOOK_API_CALL_KEY_PROBE_H
#define LEADHOOK_API_CALL_KEY_PROBE_H

#include "api/call/api_call.h"

/* FAILURE_NOT_FOUND where the token is not valid. */
MUST_CHECK enum failure call_check_probe(struct call *call);

#endif
