/* SPDX-License-Identifier: MIT
 * KEY_INBOUND: the secret in the URL of an inbound webhook. */
#ifndef LEADHOOK_API_CALL_KEY_INBOUND_H
#define LEADHOOK_API_CALL_KEY_INBOUND_H

#include "api/call/api_call.h"

/* Also applies the limit of the webhook. False: the call has failed. */
MUST_CHECK bool call_check_inbound(struct call *call);

#endif
