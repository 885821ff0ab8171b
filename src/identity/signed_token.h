/* SPDX-License-Identifier: MIT
 * What is computed with the installation's secret (raw bytes) instead of being stored: tokens, and hashes of addresses. A token
 * is 24 characters of URL-safe Base64, in some cases preceded by the values that are signed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/pool.h"

/* ---- leads: a caller with a token acts as the lead, for one purpose (docs/api.md 4.1.5, 4.1.11) ---- */

enum { LEAD_TOKEN_SIZE = 24 };

/* LEAD_TOKEN_OPT_OUT: opts out. LEAD_TOKEN_STATUS: the lead's page, and calls as this lead. A token for one purpose is not
 * valid for another. */
enum lead_token_purpose { LEAD_TOKEN_OPT_OUT, LEAD_TOKEN_STATUS };

/* Whose token it is. A later import can give the social id to another lead; `id` is never reused. */
struct lead_token_owner {
	uint64_t campaign_id;
	struct slice social_id; /* in its stored form (identity/social_id.h) */
	uint64_t id;            /* 0 for LEAD_TOKEN_OPT_OUT, which opts out whoever has the social id */
	uint32_t epoch;         /* the lead's epoch for this purpose; a new epoch ends earlier tokens */
};

struct slice lead_token(
    struct pool *pool, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner);
/* True when `token` is valid. Takes the same time for every wrong token of the right length. */
MUST_CHECK bool lead_token_valid(
    struct slice token, struct slice server_secret, enum lead_token_purpose purpose, const struct lead_token_owner *owner);

/* ---- addresses of leads ---- */

/* Tokens in links that are mailed to an address of a lead (docs/api.md 4.1.12). A caller with a token has read a mail to that
 * address. It can be used any number of times until it expires, but only while the lead has the address. A token for one
 * purpose is not valid for the other. */
enum address_purpose { ADDRESS_CONFIRM, ADDRESS_ERASE };

/* How long both are valid. */
enum { ADDRESS_TOKEN_MS = 7 * DAY_MS };

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

/* The values in a token, not verified yet. */
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

/* Hashes under which limits count the addresses that mails and texts go to. They do not reveal the address. */
enum { ADDRESS_HASH_SIZE = 16 };
struct address_hash {
	unsigned char bytes[ADDRESS_HASH_SIZE];
};

/* The hash of the mailbox of an email address (a key). */
struct address_hash address_hash_mailbox(struct pool *pool, struct slice server_secret, struct slice email_key);
/* The hash of a phone number in E.164, and the hash of the 10,000 numbers that differ from it only in the last four digits. */
struct address_hash address_hash_number(struct slice server_secret, struct slice number);
struct address_hash address_hash_prefix(struct slice server_secret, struct slice number);

/* ---- probes: `leadhook doctor` makes tokens, and responders of the same installation accept them for a minute
 * (docs/api.md 4.1, GET /health/echo) ---- */

enum { PROBE_TOKEN_VALID_MS = MINUTE_MS, PROBE_TOKEN_MAX = 44 };

/* Returns a token for use in a path. `made_ms` is the current time since 1970. */
struct slice probe_token(struct pool *pool, struct slice server_secret, int64_t made_ms);
/* Whether the text has the form of a token, and the time in it is recent. Needs no secret; rejects most attempts of
 * strangers. */
MUST_CHECK bool probe_token_is_current(struct slice token, int64_t now_ms);
/* Whether it was made with this secret. */
MUST_CHECK bool probe_token_is_genuine(struct slice token, struct slice server_secret);
