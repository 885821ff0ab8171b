/* SPDX-License-Identifier: MIT
 * Bodies of calls. Functions that return false have failed the call. */
#pragma once

#include "api/call/api_call.h"

/* Inflates a body that is compressed with gzip, to at most `limit` bytes. */
MUST_CHECK bool call_read_encoding(struct call *call, size_t limit);
/* Fails because of what is wrong with the parameters of the body. */
bool call_fail_body(struct call *call, const struct http_problem *problem);
