/* SPDX-License-Identifier: MIT
 * Tokens in links that are mailed to an address of a lead (docs/api.md 4.1.12). A caller with a token has read a mail to that
 * address. No token is stored. It can be used any number of times until it expires, but only while the lead has the address. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* What the link is for. A token for one purpose is not valid for the other. */
enum address_purpose { ADDRESS_CONFIRM, ADDRESS_ERASE };

/* Seven days, for both. */
enum { ADDRESS_TOKEN_S = 7 * 24 * 60 * 60 };

/* What a token is for. */
struct address_claim {
	enum address_purpose purpose;
	uint64_t campaign_id;
	struct slice social_id;   /* in its stored form (identity/social_id.h) */
	struct slice address_key; /* the email key (identity/email.h) */
	int64_t expires_s;        /* since 1970 */
};

/* Returns a path segment: social id, time and signature, separated by hyphens. */
struct slice address_token_make(struct pool *pool, struct slice server_secret, const struct address_claim *claim);

/* What a token says, not verified yet. */
struct address_token {
	struct slice social_id;
	int64_t expires_s;
	struct slice signature;
};
/* Returns false when the text does not have the form of a token. The slices are in the pool or parts of the text. */
MUST_CHECK bool address_token_read(struct pool *pool, struct slice text, struct address_token *token);
/* Whether it was made for this purpose, campaign and address, and has not expired. */
MUST_CHECK bool address_token_valid(const struct address_token *token, struct slice server_secret, enum address_purpose purpose,
    uint64_t campaign_id, struct slice address_key, int64_t now_s);
