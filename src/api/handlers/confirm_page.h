/* SPDX-License-Identifier: MIT
 * The links of mails by which leads confirm their address (docs/api.md 4.1.12). Programs of mail servers follow each link, run
 * scripts and press buttons, within a second: GET changes nothing, and a button that is pressed so early shows the page again.
 */
#pragma once

#include "api/call/api_call.h"

call_handler handle_confirm_page, handle_confirm;
