/* SPDX-License-Identifier: MIT
 * The pages after a form without a page to lead to (docs/pages.md 2). Nothing of them depends on whether the address is known.
 */
#pragma once

#include "api/call/api_call.h"

call_handler handle_sent_page, handle_sent_button, handle_thanks_page;
