/* SPDX-License-Identifier: MIT
 * Bodies that a client has compressed (RFC 9110, 8.4). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum gzip_result { GZIP_OK, GZIP_BROKEN, GZIP_TOO_LARGE };

/* Whether it begins as gzip does, whatever its header says: a body that was stored has none. */
MUST_CHECK bool gzip_begins(struct slice body);
/* *text: in the pool, at most `maximum` bytes; no more is read than they need. */
MUST_CHECK enum gzip_result gzip_inflate(struct pool *pool, struct slice body, size_t maximum, struct slice *text);
