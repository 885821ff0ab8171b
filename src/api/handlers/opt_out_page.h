/* SPDX-License-Identifier: MIT
 * The links of `unsubscribe_url`: for clicks, and for mail programs that post (RFC 8058). */
#ifndef LEADHOOK_API_HANDLERS_OPT_OUT_PAGE_H
#define LEADHOOK_API_HANDLERS_OPT_OUT_PAGE_H

#include "api/call/api_call.h"

call_handler handle_opt_out_link, handle_opt_out;

#endif
