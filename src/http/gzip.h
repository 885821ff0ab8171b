/* SPDX-License-Identifier: MIT
 * Bodies that a client has compressed with gzip (RFC 9110, 8.4.1.3). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum gzip_result { GZIP_OK, GZIP_BROKEN, GZIP_TOO_LARGE };

/* Whether a body begins like a gzip stream. Content-Encoding is not considered, because a stored body has no headers. */
MUST_CHECK bool gzip_begins(struct slice body);
/* Decompresses the body into *text, in the pool. GZIP_TOO_LARGE: it stopped after `maximum` bytes. GZIP_BROKEN: the body is not
 * one complete gzip stream. */
MUST_CHECK enum gzip_result gzip_inflate(struct pool *pool, struct slice body, size_t maximum, struct slice *text);
