/* SPDX-License-Identifier: MIT
 * Base64 (RFC 4648) on libcrypto. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"

/* The standard alphabet with padding, on one line (section 4). */
struct slice base64_encode(struct pool *pool, struct slice bytes);
/* Accepts exactly what base64_encode writes: no white space, full padding, unused bits zero (sections 3.2, 3.3, 3.5).
 * Returns false otherwise. */
MUST_CHECK bool base64_decode(struct pool *pool, struct slice text, struct slice *bytes);

/* The alphabet for URLs and file names, without padding (section 5). */
struct slice base64url_encode(struct pool *pool, struct slice bytes);
/* The characters of this alphabet besides letters and digits. */
#define BASE64URL_MARKS "-_"
