/* SPDX-License-Identifier: MIT
 * The code that was sent to a lead's phone number (docs/api.md 4.1.9, 4.1.14). Strangers do not see which numbers are those of
 * leads. */
#pragma once

#include "api/call/api_call.h"
#include "store/codes/lead_codes.h"

call_handler handle_verify_phone_number;

/* Compares it with the lead's code, as lead_code_try does. False: the call has failed. */
MUST_CHECK bool call_try_code(
    struct call *call, const struct lead_code *code, struct slice digits, enum lead_code_verdict *verdict);
/* Verifies the address of the right code, and removes the code. Without a key the confirmation is stored as proof. False: the
 * call has failed. */
MUST_CHECK bool call_verify_by_code(
    struct call *call, const struct lead_code *code, struct slice digits, struct outcome *outcome);
