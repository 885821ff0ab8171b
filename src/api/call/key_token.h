/* SPDX-License-Identifier: MIT
 * KEY_TOKEN: the signature of an opt-out link. */
#ifndef LEADHOOK_API_CALL_KEY_TOKEN_H
#define LEADHOOK_API_CALL_KEY_TOKEN_H

#include "api/call/api_call.h"

/* False: the call has failed. Else social_id, lead_email and reader_language of the call are set. */
MUST_CHECK bool call_check_token(struct call *call);

#endif
