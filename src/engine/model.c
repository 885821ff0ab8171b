/* SPDX-License-Identifier: MIT */
#include "engine/model.h"

#include <stdlib.h>

#include "base/encode.h"
#include "crypto/digest.h"

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

struct campaign_lists
campaign_lists_read(struct pool *pool, const struct campaign *campaign)
{
	struct campaign_lists lists = { 0 };
	struct slice bad;
	host_list_read(pool, campaign->blocked_email_domains, &lists.blocked_email_domains);
	host_list_read(pool, campaign->blocked_referrers, &lists.blocked_referrers);
	if (!network_list_parse(pool, campaign->allowed_networks, &lists.allowed_networks, &bad))
		lists.allowed_networks = (struct network_list){ NULL, 0 };
	return lists;
}

bool
campaign_judges_addresses(const struct campaign *campaign)
{
	return campaign->max_per_ip > 0 && campaign->ip_counted_to == IP_COUNTED_ALL;
}

bool
lead_is_verified(const struct lead *lead)
{
	return lead->verified_email || lead->verified_phone;
}

bool
lead_is_unproven(const struct lead *lead)
{
	return lead->fraudulent && slice_equal(lead->fraud_flags, SLICE("[\"unproven\"]"));
}

bool
lead_counts_for_ip(const struct lead *lead)
{
	return slice_present(lead->ip) && !slice_contains(lead->fraud_flags, SLICE("\"duplicate_ip\""));
}

size_t
lead_text_bytes(const struct lead *lead)
{
	size_t bytes = 0;
#define BYTES_U64(member) 0
#define BYTES_U32(member) 0
#define BYTES_BOOL(member) 0
#define BYTES_ID(member) 0
#define BYTES_TIME(member) 0
#define BYTES_TEXT(member) lead->member.size
#define ADD(type, member, read_for, written, in_payload) bytes += BYTES_##type(member);
	LEAD_FIELDS(ADD)
#undef ADD
	return bytes;
}

bool
lead_is_named(const struct lead *lead, const struct lead_reference *reference)
{
	if (reference->own && reference->epoch != lead->token_epoch)
		return false;
	if (reference->identity == LEAD_BY_ID)
		return lead->id == reference->id;
	const struct slice own = reference->identity == LEAD_BY_EMAIL   ? lead->email_key
				 : reference->identity == LEAD_BY_PHONE ? lead->phone
									: lead->social_id;
	return slice_present(own) && slice_present(reference->value) && slice_equal(own, reference->value);
}

/* Searches an array that is sorted by the id, which is the first member of each item. */
static const void *
find_id(const void *items, size_t count, size_t size, uint64_t id)
{
	return count == 0 ? NULL : bsearch(&id, items, count, size, compare_ids);
}

const struct tag *
definitions_tag(const struct definitions *definitions, uint64_t id)
{
	return find_id(definitions->tags, definitions->tag_count, sizeof(*definitions->tags), id);
}

const struct action *
definitions_action(const struct definitions *definitions, uint64_t id)
{
	return find_id(definitions->actions, definitions->action_count, sizeof(*definitions->actions), id);
}

struct slice
lead_claim_name(uint32_t claim)
{
	static const struct slice names[LEAD_CLAIMS] = {
		[CLAIM_EMAIL] = SLICE("email"), [CLAIM_PHONE] = SLICE("phone_number")
	};
	return claim < LEAD_CLAIMS ? names[claim] : SLICE_NONE;
}

struct slice
score_reason_name(enum score_reason reason)
{
#define REASON_NAME(reason, name) [SCORE_##reason] = SLICE(name),
	static const struct slice names[] = { SCORE_REASON_LIST(REASON_NAME) };
#undef REASON_NAME
	return names[reason];
}

/* The kind separates the hashes of emails from those of phone numbers. */
static struct slice
identity_hash(struct pool *pool, struct slice kind, uint64_t campaign_id, struct slice identity)
{
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { kind, encode_decimal(campaign_id, digits), SLICE(":"), identity };
	struct digest digest = digest_sha256(pieces, ARRAY_SIZE(pieces));
	return pool_copy(pool, slice_sub(digest_slice(&digest), 0, LEAD_HASH_SIZE));
}

struct slice
lead_email_hash(struct pool *pool, uint64_t campaign_id, struct slice email_key)
{
	return identity_hash(pool, SLICE("email:"), campaign_id, email_key);
}

struct slice
lead_phone_hash(struct pool *pool, uint64_t campaign_id, struct slice e164)
{
	return identity_hash(pool, SLICE("phone:"), campaign_id, e164);
}
