/* SPDX-License-Identifier: MIT
 * Campaigns, leads and webhooks as the rules use them: plain values in a pool of the caller.
 *
 * Times are milliseconds since 1970 by the database's clock; -1 is none. An absent slice is a missing value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "engine/failure.h"
#include "engine/model_fields.h"
#include "identity/domain.h"
#include "identity/network.h"
#include "webhook/delivery.h"

struct campaign_counters {
#define MEMBER(type, column, member) FIELD_MEMBER(type, member)
	CAMPAIGN_COUNTERS(MEMBER)
#undef MEMBER
};

/* `settings` is incremented with each change of settings, webhooks and definitions; `leads` with each change of leads. */
struct campaign_versions {
	uint64_t settings, leads;
};

struct campaign {
	CAMPAIGN_FIELDS(FIELD_MEMBER)
	CAMPAIGN_SETTINGS(FIELD_MEMBER)
	CAMPAIGN_PROGRESS(FIELD_MEMBER)
	bool account_suspended;
	struct campaign_counters counters;
};

/* The lists in a campaign's settings, parsed once for many sign-ups. */
struct campaign_lists {
	struct host_list blocked_email_domains, blocked_referrers;
	struct network_list allowed_networks;
};

/* The lists are in the pool. A setting that cannot be parsed, which this program never stores, counts as empty. */
struct campaign_lists campaign_lists_read(struct pool *pool, const struct campaign *campaign);

/* Whether all leads are counted now, and later ones will be. */
#define IP_COUNTED_ALL UINT32_MAX

/* Whether max_per_ip (docs/architecture.md 5) applies to sign-ups: it is set, and all leads have been counted by address. */
bool campaign_judges_addresses(const struct campaign *campaign);

/* docs/api.md 6. */
bool campaign_has_ended(const struct campaign *campaign, int64_t now_ms);
/* The first checks of every call on a campaign, in the order of docs/api.md 1: it exists (`campaign` may be NULL), it belongs
 * to the account (0: no key), the account is not suspended. Returns the failure, or FAILURE_NONE. */
enum failure campaign_refuses(const struct campaign *campaign, uint64_t account_id);

enum { LEAD_HASH_SIZE = 16 };

/* Which address of a lead a stranger added, or may have added (docs/api.md 4.1.11, Claim). The numbers are stored. */
enum lead_claim { CLAIM_NONE, CLAIM_EMAIL, CLAIM_PHONE, LEAD_CLAIMS };
/* "email", "phone_number"; absent for CLAIM_NONE, and for a number that a later version has stored. */
struct slice lead_claim_name(uint32_t claim);

struct lead {
	uint64_t id;
#define MEMBER(type, column, read, written, shown) FIELD_MEMBER(type, column)
	LEAD_FIELDS(MEMBER)
#undef MEMBER
};

bool lead_is_verified(const struct lead *lead);
/* Whether it is flagged only because its sign-up lacked proof of work. Verification removes the flag. */
bool lead_is_unproven(const struct lead *lead);
/* Whether it counts for `max_per_ip` of its network: it has an address, and is not flagged as one lead too many
 * (docs/api.md 4.6). */
bool lead_counts_for_ip(const struct lead *lead);
/* The size of all its texts. */
size_t lead_text_bytes(const struct lead *lead);

/* How requests and bulk jobs name a lead. */
enum lead_identity { LEAD_BY_EMAIL, LEAD_BY_PHONE, LEAD_BY_SOCIAL_ID, LEAD_BY_ID };
struct lead_reference {
	enum lead_identity identity;
	struct slice value; /* email key, E.164 number, social id */
	uint64_t id;        /* LEAD_BY_ID */
	bool own;           /* named by its token, which is valid only in this epoch (identity/signed_token.h) */
	uint32_t epoch;
};
/* Whether the lead has this identity; its campaign does not matter. An absent value names no lead. */
bool lead_is_named(const struct lead *lead, const struct lead_reference *reference);

/* A referred lead and one of its referrers (docs/api.md 4.6, Chain), with the referrer's credit for it. */
struct referral_link {
	uint64_t lead_id; /* the referred one */
	unsigned level;   /* 1: the direct referrer; up to REFERRAL_LEVELS */
	uint64_t ancestor_id;
	enum referral_counted { REFERRAL_NOT_COUNTED, REFERRAL_UNVERIFIED, REFERRAL_VERIFIED } counted;
	bool counts;           /* as a referral that earns credit */
	bool settled;          /* it has counted once, so what it earns is known and its event was made */
	bool verified_settled; /* likewise for points_verified */
	uint32_t earned;       /* what it earned when it was settled: nothing if the campaign had ended */
	uint32_t credit;       /* the net of its score entries */
	uint32_t set_off;      /* how much of its credit was set off against what the ancestor owed (docs/api.md 4.6,
				* Deletion) */
	uint64_t digest_ms;    /* when the digest that announces it is due; 0: no digest does */
};

enum { REFERRAL_LEVELS = 16 };

/* Maximum of each kind in a campaign. One command can reach all of them, and each makes an event with its own payload. */
enum { TAGS_MAX = 500, ACTIONS_MAX = 500, REWARD_LEVELS_MAX = 20 };

struct tag {
	uint64_t id;
	struct slice name, description; /* description may be absent */
	int32_t points;
};

struct action {
	uint64_t id;
	struct slice text;
	int32_t points;
	uint64_t tag_id;   /* only this tag completes it; 0: no tag does */
	bool public;       /* it can be completed without a key */
	struct slice link; /* the URL that it leads to, or absent */
};

struct reward_level {
	uint64_t id;
	struct slice subject;
	uint32_t required_points;
	bool emailed;
};

/* The definitions of a campaign; each array is sorted by id. */
struct definitions {
	const struct tag *tags;
	size_t tag_count;
	const struct action *actions;
	size_t action_count;
	const struct reward_level *rewards;
	size_t reward_count;
};

/* Return NULL if none has this id. Logarithmic time. */
const struct tag *definitions_tag(const struct definitions *definitions, uint64_t id);
const struct action *definitions_action(const struct definitions *definitions, uint64_t id);

/* Why a score changed, in the order of docs/api.md 4.7 and of the schema's enum. */
#define SCORE_REASON_LIST(X)    \
	X(SIGNUP, "signup")     \
	X(CUSTOM, "custom")     \
	X(TAG, "tag")           \
	X(ACTION, "action")     \
	X(REFERRAL, "referral") \
	X(VERIFIED, "verified") \
	X(FRAUD, "fraud")       \
	X(APPROVE, "approve")
#define SCORE_REASON(reason, name) SCORE_##reason,
enum score_reason { SCORE_REASON_LIST(SCORE_REASON) SCORE_REASONS };
#undef SCORE_REASON
/* "signup", … */
struct slice score_reason_name(enum score_reason reason);
enum { SCORE_POINTS_MAX = 99999 }; /* maximum that one booking by a client or operator may add or subtract */

/* Hashes of campaign and address, for the unique keys of leads. In the pool. */
struct slice lead_email_hash(struct pool *pool, uint64_t campaign_id, struct slice email_key);
struct slice lead_phone_hash(struct pool *pool, uint64_t campaign_id, struct slice e164);

struct webhook {
	uint64_t id, campaign_id;
	uint32_t events; /* EVENT_BIT of each subscribed one */
	bool form;       /* whether it receives forms, by its own setting or by dispatch.form_urls */
};
