/* SPDX-License-Identifier: MIT
 * Tokens of leads. A caller with a token acts as the lead, for one purpose. Tokens are not stored but computed from the
 * installation's secret (docs/api.md 4.1.5, 4.1.11). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum { LEAD_TOKEN_SIZE = 24 };

/* LEAD_TOKEN_OPT_OUT: opts out. LEAD_TOKEN_STATUS: the lead's page, and calls as this lead. A token of one purpose is of no use
 * for another. */
enum lead_token_purpose { LEAD_TOKEN_OPT_OUT, LEAD_TOKEN_STATUS };

/* Whose token it is. A later import can give the social id to another lead; `id` is never reused. */
struct lead_token_owner {
	uint64_t campaign_id;
	struct slice social_id; /* in its stored form (identity/social_id.h) */
	uint64_t id;            /* 0 for LEAD_TOKEN_OPT_OUT, which opts out whoever has the social id */
	uint32_t epoch;         /* the lead's, of this purpose; a new epoch ends the former tokens */
};

/* 24 characters of URL-safe Base64. Only holders of the server's secret (raw bytes) can compute it for this lead. */
struct slice lead_token(
    struct pool *pool, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner);
/* True when `token` is valid. Takes the same time for every wrong token of the right length. */
MUST_CHECK bool lead_token_valid(
    struct slice token, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner);
