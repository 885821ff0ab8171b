/* SPDX-License-Identifier: MIT
 * The hosted pages of a campaign (docs/pages.md). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_signup_page, handle_form, handle_landing_page, handle_signup_form;
