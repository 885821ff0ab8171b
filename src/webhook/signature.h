/* SPDX-License-Identifier: MIT
 * Signatures of deliveries, as in Standard Webhooks (docs/deliveries.md 2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

enum { SIGNATURE_SECRET_RANDOM = 32 };

/* "whsec_" and Base64 of the random bytes: the secret of a webhook, as shown to its owner. */
struct slice signature_secret_make(struct pool *pool, const unsigned char random[SIGNATURE_SECRET_RANDOM]);

/* The value of `webhook-signature`: "v1,<base64 of HMAC-SHA256(id.timestamp.body)>". `timestamp` is that of
 * `webhook-timestamp`, in seconds since 1970. During a rotation the caller joins two of them with a space. Returns false when
 * the secret is not "whsec_" and Base64 of 24 to 64 bytes. */
MUST_CHECK bool signature_header(
    struct pool *pool, struct slice secret, struct slice id, int64_t timestamp, struct slice body, struct slice *header);
