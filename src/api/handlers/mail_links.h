/* SPDX-License-Identifier: MIT
 * The pages that mails link to: opting out (RFC 8058 for mail programs that post), confirming an address (docs/api.md 4.1.12),
 * and erasing all data, with the form that requests the mail for it (4.1.13). Programs of mail servers follow each link, run
 * scripts and press buttons within a second. Therefore GET of the last two changes nothing, and if a button is pressed that
 * early, the page is shown again. */
#pragma once

#include "api/call/api_call.h"

call_handler handle_opt_out_link, handle_opt_out, handle_confirm_page, handle_confirm, handle_erase_form, handle_erase_request,
    handle_erase_page, handle_erase;
