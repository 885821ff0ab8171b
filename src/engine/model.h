/* SPDX-License-Identifier: MIT
 * Campaigns, leads and webhooks as the rules see them. Values only: whoever loads them owns them, in a pool.
 *
 * Times are milliseconds since 1970 by the database's clock, -1 where there is none. An absent slice is a missing value. */
#ifndef LEADHOOK_ENGINE_MODEL_H
#define LEADHOOK_ENGINE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"
#include "engine/failure.h"
#include "engine/fields.h"
#include "webhook/delivery.h"

struct campaign_counters {
#define MEMBER(type, column, member) FIELD_MEMBER(type, member)
	CAMPAIGN_COUNTERS(MEMBER)
#undef MEMBER
};

/* They go up with every change of a campaign: of its settings, webhooks and definitions; of its leads. */
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

/* Also those to come. */
#define IP_COUNTED_ALL UINT32_MAX

/* Whether sign-ups are held to max_per_ip (docs/api.md 4.6): it is set, and no lead is left to count. */
bool campaign_judges_addresses(const struct campaign *campaign);

/* docs/api.md 6. */
bool campaign_has_ended(const struct campaign *campaign, int64_t now_ms);
/* What every call on a campaign checks first, in the order of docs/api.md 1: found, the account's own (account_id 0: no key),
 * not suspended. `campaign` may be NULL. */
enum failure campaign_refuses(const struct campaign *campaign, uint64_t account_id);

enum { LEAD_HASH_SIZE = 16 };

struct lead {
	uint64_t id;
#define MEMBER(type, column, read, written, shown) FIELD_MEMBER(type, column)
	LEAD_FIELDS(MEMBER)
#undef MEMBER
};

bool lead_is_verified(const struct lead *lead);

/* How a lead is named in a request, and in queued work. */
enum lead_identity { LEAD_BY_EMAIL, LEAD_BY_PHONE, LEAD_BY_SOCIAL_ID, LEAD_BY_ID };
struct lead_reference {
	enum lead_identity identity;
	struct slice value; /* email key, E.164 number, social id */
	uint64_t id;        /* LEAD_BY_ID */
};

/* One step of the chain from a referred lead up to its referrers (docs/api.md 4.6, Chain), with what the ancestor has of it. */
struct referral_link {
	uint64_t lead_id; /* the referred one */
	unsigned level;   /* 1: the direct referrer; up to REFERRAL_LEVELS */
	uint64_t ancestor_id;
	enum referral_counted { REFERRAL_NOT_COUNTED, REFERRAL_UNVERIFIED, REFERRAL_VERIFIED } counted;
	bool counts;           /* as a referral that earns credit */
	bool settled;          /* has counted once: what it earns is known, and the event was made */
	bool verified_settled; /* the same of points_verified */
	uint32_t earned;       /* what it earned when it was settled: nothing after the campaign's end */
	uint32_t credit;       /* what it brings now: the net of its score entries */
};

enum { REFERRAL_LEVELS = 16 };

/* What a campaign's owner defines; at most DEFINITIONS_MAX of each kind a campaign. */
enum { DEFINITIONS_MAX = 500 };

struct tag {
	uint64_t id, campaign_id;
	struct slice name, description; /* description may be absent */
	int32_t points;
};

struct action {
	uint64_t id, campaign_id;
	struct slice text;
	int32_t points;
	uint64_t tag_id; /* this tag completes it, and nothing else does; 0: none */
};

struct reward_level {
	uint64_t id, campaign_id;
	struct slice subject;
	uint32_t required_points;
	bool emailed;
};

/* Of one campaign or of several, each kind by id. */
struct definitions {
	const struct tag *tags;
	size_t tag_count;
	const struct action *actions;
	size_t action_count;
	const struct reward_level *rewards;
	size_t reward_count;
};

/* NULL when the campaign has none with that id. */
const struct tag *definitions_tag(const struct definitions *definitions, uint64_t campaign_id, uint64_t id);
const struct action *definitions_action(const struct definitions *definitions, uint64_t campaign_id, uint64_t id);

/* Why a score changed, in the order of docs/api.md 4.7. As in the schema's enum. */
enum score_reason {
	SCORE_SIGNUP,
	SCORE_CUSTOM,
	SCORE_TAG,
	SCORE_ACTION,
	SCORE_REFERRAL,
	SCORE_VERIFIED,
	SCORE_FRAUD,
	SCORE_APPROVE
};
/* "signup", … */
struct slice score_reason_name(enum score_reason reason);
enum { SCORE_POINTS_MAX = 99999 }; /* of one booking by a client or operator, either way */

/* The fixed-length identities that the unique keys are made of: one for each campaign and value. The result is in the pool. */
struct slice lead_email_hash(struct pool *pool, uint64_t campaign_id, struct slice email_key);
struct slice lead_phone_hash(struct pool *pool, uint64_t campaign_id, struct slice e164);

struct webhook {
	uint64_t id, campaign_id;
	uint32_t events; /* EVENT_BIT of each subscribed one */
	enum webhook_state state;
	bool form; /* as it is sent: the URL may contain a word of dispatch.form_urls */
};

#endif
