/* SPDX-License-Identifier: MIT
 * Codes that leads type (docs/api.md 4.1.9, 4.1.14; verify.c, code_page.c). */
#ifndef LEADHOOK_API_HANDLERS_CODES_H
#define LEADHOOK_API_HANDLERS_CODES_H

#include "api/call.h"
#include "store/codes/lead_codes.h"

/* Compares it with the lead's code, as lead_code_try does. False: the call has failed. */
MUST_CHECK bool call_try_code(
    struct call *call, const struct lead_code *code, struct slice digits, enum lead_code_verdict *verdict);
/* Verifies the address of the right code, and removes the code. Without a key the confirmation is stored as proof. False: the
 * call has failed. */
MUST_CHECK bool call_verify_by_code(
    struct call *call, const struct lead_code *code, struct slice digits, struct outcome *outcome);

#endif
