/* SPDX-License-Identifier: MIT */
#include "core/model.h"

#include <inttypes.h>

#include "core/digest.h"

bool
campaign_has_ended(const struct campaign *campaign, int64_t now_ms)
{
	return campaign->ended_ms >= 0 || (campaign->ends_ms >= 0 && campaign->ends_ms <= now_ms);
}

enum failure
campaign_refuses(const struct campaign *campaign, uint64_t account_id)
{
	if (campaign == NULL || (account_id != 0 && account_id != campaign->account_id))
		return FAILURE_CAMPAIGN_NOT_FOUND;
	if (campaign->account_suspended)
		return FAILURE_ACCOUNT_SUSPENDED;
	return FAILURE_NONE;
}

/* The kind keeps an email from ever standing for a phone number. */
static struct slice
identity_hash(struct pool *pool, const char *kind, uint64_t campaign_id, struct slice identity)
{
	struct slice text = pool_printf(pool, "%s:%" PRIu64 ":%.*s", kind, campaign_id, SLICE_ARGS(identity));
	struct digest digest = digest_sha256(&text, 1);
	return pool_copy(pool, slice_sub(digest_slice(&digest), 0, LEAD_HASH_SIZE));
}

struct slice
lead_email_hash(struct pool *pool, uint64_t campaign_id, struct slice email_key)
{
	return identity_hash(pool, "email", campaign_id, email_key);
}

struct slice
lead_phone_hash(struct pool *pool, uint64_t campaign_id, struct slice e164)
{
	return identity_hash(pool, "phone", campaign_id, e164);
}
