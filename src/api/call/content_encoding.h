/* SPDX-License-Identifier: MIT
 * Compressed bodies. */
#pragma once

#include "api/call/api_call.h"

/* Inflates a body that is compressed with gzip to at most `limit` bytes. Fails the call for any other encoding, and for an
 * incomplete body: false. */
MUST_CHECK bool call_read_encoding(struct call *call, size_t limit);
