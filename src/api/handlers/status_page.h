/* SPDX-License-Identifier: MIT
 * The page of a lead (docs/pages.md 3), and its buttons. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_status_page, handle_status_button;
