/* SPDX-License-Identifier: MIT
 * The fields of a sign-up besides its own parameters: custom fields and utm (docs/api.md 4.4). Functions that return false have
 * failed the call. */
#pragma once

#include "api/call/signup_arguments.h"

/* Reads `__url`, and adds the parameters of its query, and of the query of the page that a browser names, to those of the call
 * (docs/api.md 1.4). Call it before any other parameter is read. */
MUST_CHECK bool signup_read_page_url(struct call *call, struct slice *url);
/* Reads custom fields and utm: sets them in arguments->signup, and whether the honeypot is filled. */
MUST_CHECK bool signup_read_fields(struct call *call, struct signup_arguments *arguments);
