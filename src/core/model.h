/* SPDX-License-Identifier: MIT
 * Campaigns, leads and webhooks as the rules see them. Values only: whoever loads them owns them, in a pool.
 *
 * Times are milliseconds since 1970 by the database's clock, -1 where there is none. An absent slice is a missing value. */
#ifndef LEADHOOK_CORE_MODEL_H
#define LEADHOOK_CORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/slice.h"
#include "core/delivery.h"
#include "core/failure.h"

struct campaign {
	uint64_t id, account_id;
	struct slice name;
	int64_t created_ms;
	bool account_suspended;
	int64_t ended_ms; /* ended by command or noted */
	int64_t ends_ms;  /* its end time, which holds by itself */
	uint32_t jump_start;
	bool privacy, require_key;
	struct slice landing_url, thankyou_url, status_url;
	/* counters */
	uint32_t last_subscription_number;
	uint32_t lead_count;
};

/* contract.md 6. */
bool campaign_has_ended(const struct campaign *campaign, int64_t now_ms);
/* What every call on a campaign checks first, in the contract's order (2): found, the account's own (account_id 0: no key),
 * not suspended, with a key where one is required. `campaign` may be NULL. */
enum failure campaign_refuses(const struct campaign *campaign, uint64_t account_id);

enum { LEAD_HASH_SIZE = 16 };

struct lead {
	uint64_t id, campaign_id;
	uint32_t subscription_number, counter;
	struct slice social_id;        /* SOCIAL_ID_SIZE characters */
	uint64_t parent_id;            /* 0: none */
	struct slice parent_social_id; /* absent also when the referrer was deleted */
	struct slice email, email_key, email_hash;
	struct slice phone, phone_hash;
	bool verified_email, verified_phone, waitlisted, opted_out, sms_opted_out;
	struct slice custom_fields; /* a JSON object, or absent */
	struct slice utm;           /* a JSON object, or absent */
	struct slice uid, redirect_url, ip, user_agent, referrer, source, signup_url, session_id, request_id;
	uint64_t source_id; /* 0: none */
	int64_t created_ms, updated_ms;
};

/* The fixed-length identities that the unique keys are made of: one for each campaign and value. The result is in the pool. */
struct slice lead_email_hash(struct pool *pool, uint64_t campaign_id, struct slice email_key);
struct slice lead_phone_hash(struct pool *pool, uint64_t campaign_id, struct slice e164);

struct webhook {
	uint64_t id, campaign_id;
	uint32_t events; /* EVENT_BIT of each subscribed one */
	enum webhook_state state;
	bool form; /* as it is sent: the host may be one of dispatch.form_hosts */
};

#endif
