/* SPDX-License-Identifier: MIT
 * Signatures of deliveries, as in Standard Webhooks (docs/deliveries.md 2), and of opt-out links (docs/api.md 4.1, 4.5). */
#ifndef LEADHOOK_WEBHOOK_SIGNATURE_H
#define LEADHOOK_WEBHOOK_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { SIGNATURE_SECRET_RANDOM = 32, OPT_OUT_TOKEN_SIZE = 24 };

/* "whsec_" and Base64 of the random bytes: the secret of a webhook, as shown to its owner. */
struct slice signature_secret_make(struct pool *pool, const unsigned char random[SIGNATURE_SECRET_RANDOM]);

/* The value of `webhook-signature`: "v1,<base64 of HMAC-SHA256(id.timestamp.body)>". `timestamp` is that of
 * `webhook-timestamp`, in seconds since 1970. During a rotation the caller joins two of them with a space. Returns false when
 * the secret is not "whsec_" and Base64 of 24 to 64 bytes. */
MUST_CHECK bool signature_header(
    struct pool *pool, struct slice secret, struct slice id, int64_t timestamp, struct slice body, struct slice *header);

/* 24 characters of URL-safe Base64. Only holders of the server's secret (raw bytes) can compute it for this lead. */
struct slice opt_out_token(struct pool *pool, struct slice server_secret, uint64_t campaign_id, struct slice social_id);
/* True when `token` is valid. Takes the same time for every wrong token of the right length. `social_id` in its stored form
 * (identity/social_id.h). */
MUST_CHECK bool opt_out_token_valid(
    struct slice token, struct slice server_secret, uint64_t campaign_id, struct slice social_id);

#endif
