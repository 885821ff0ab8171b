/* SPDX-License-Identifier: MIT
 * API keys (docs/api.md 3): shown once, stored as a hash. A fast hash is right for 256 random bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"
#include "crypto/digest.h"

enum { API_KEY_RANDOM = 32, API_KEY_SIZE = 46 };

/* "lh_" and 43 characters of URL-safe Base64. */
struct slice api_key_make(struct pool *pool, const unsigned char random[API_KEY_RANDOM]);

/* False when the text cannot be an API key, so no look-up is needed. */
bool api_key_well_formed(struct slice key);

/* SHA-256 of the key's text, prefix included: the form that is stored, looked up and compared. A comparison of hashes need
 * not be in constant time: a part of the hash does not reveal the key. */
struct digest api_key_hash(struct slice key);

/* The last white-space separated token of an Authorization or Authentication header ("Bearer lh_…" and bare "lh_…" alike);
 * absent when the header has none. */
struct slice api_key_from_header(struct pool *pool, struct slice header);

/* A new secret for the URL of an inbound webhook (docs/inbound.md 1): "in_" and 43 characters. It has the size of a key, and is
 * hashed like one. */
struct slice inbound_token_make(struct pool *pool);
bool inbound_token_well_formed(struct slice token);
/* The token in a URL or a path: its last segment. */
struct slice inbound_token_of_url(struct slice url);
/* The URL; without `base_url`, its path. It names the campaign, by which load balancers choose a cluster (docs/cluster.md 7).
 */
struct slice inbound_url(struct pool *pool, struct slice base_url, uint64_t campaign_id, struct slice token);
