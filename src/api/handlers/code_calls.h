/* SPDX-License-Identifier: MIT
 * The code that was sent to a lead's phone number or email address: the call that verifies a number with it (docs/api.md
 * 4.1.9), and the page on which a lead types it (4.1.14). Answers to strangers do not show whether an address belongs to a
 * lead. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_verify_phone_number, handle_code_page, handle_code;
