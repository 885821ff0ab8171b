/* SPDX-License-Identifier: MIT
 * The page on which a lead types the code that was sent to its email address or its phone (docs/api.md 4.1.14). Its answers do
 * not show which addresses are those of leads. */
#ifndef LEADHOOK_API_HANDLERS_CODE_PAGE_H
#define LEADHOOK_API_HANDLERS_CODE_PAGE_H

#include "api/call/api_call.h"

call_handler handle_code_page, handle_code;

#endif
