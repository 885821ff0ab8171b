/* SPDX-License-Identifier: MIT
 * Leads delete their own data (docs/api.md 4.1.13): a form for the address, a mail to it, and the page that the mail links to.
 */
#pragma once

#include "api/call/api_call.h"

call_handler handle_erase_form, handle_erase_request, handle_erase_page, handle_erase;
