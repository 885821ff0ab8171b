/* SPDX-License-Identifier: MIT
 * The hosted pages of a campaign (docs/pages.md). */
#ifndef LEADHOOK_API_HANDLERS_SIGNUP_PAGE_H
#define LEADHOOK_API_HANDLERS_SIGNUP_PAGE_H

#include "api/call/api_call.h"

call_handler handle_signup_page, handle_form, handle_landing_page, handle_signup_form;

#endif
