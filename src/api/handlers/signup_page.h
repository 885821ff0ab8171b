/* SPDX-License-Identifier: MIT
 * The sign-up page of a campaign, and the pages shown after a form that names no page of its own (docs/pages.md). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_signup_page, handle_form, handle_landing_page, handle_signup_form, handle_sent_page, handle_sent_button,
    handle_thanks_page;
