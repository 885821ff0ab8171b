/* SPDX-License-Identifier: MIT
 * The page on which a lead types the code that was sent to its email address or its phone (docs/api.md 4.1.14). Its answers do
 * not show which addresses are those of leads. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_code_page, handle_code;
