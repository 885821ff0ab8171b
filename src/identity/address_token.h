/* SPDX-License-Identifier: MIT
 * Tokens in links that are mailed to an address of a lead (docs/api.md 4.1.12): a caller with one has read a mail to that
 * address. Nothing is stored. A token is valid until it expires, however often it is used, and only while the lead has the
 * address. */
#ifndef LEADHOOK_IDENTITY_ADDRESS_TOKEN_H
#define LEADHOOK_IDENTITY_ADDRESS_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* What its link is for. A token of one purpose is of no use for another. */
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

/* A segment of a path: social id, time and signature, with hyphens between them. */
struct slice address_token_make(struct pool *pool, struct slice server_secret, const struct address_claim *claim);

/* A token as it was read: what it says, unproven. */
struct address_token {
	struct slice social_id;
	int64_t expires_s;
	struct slice signature;
};
/* Returns false when the text has another form. Slices are in the pool or parts of the text. */
MUST_CHECK bool address_token_read(struct pool *pool, struct slice text, struct address_token *token);
/* Whether it was made for this purpose, campaign and address, and has not expired. */
MUST_CHECK bool address_token_valid(const struct address_token *token, struct slice server_secret, enum address_purpose purpose,
    uint64_t campaign_id, struct slice address_key, int64_t now_s);

#endif
