/* SPDX-License-Identifier: MIT
 * The links of `unsubscribe_url`: for clicks, and for mail programs that post (RFC 8058). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_opt_out_link, handle_opt_out;
