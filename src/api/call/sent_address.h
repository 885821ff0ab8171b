/* SPDX-License-Identifier: MIT
 * The address that a mail was sent to, sealed for the URL of the page that says so: only that page can read it. */
#pragma once

#include "api/call/api_call.h"

/* The rest of the URL of the page, for an address as it was typed. */
struct slice sent_address_path(struct call *call, struct slice email);
/* The address in the URL of the call, as a key; absent: there is none, or it was sealed too long ago. */
struct slice sent_address_read(struct call *call);
