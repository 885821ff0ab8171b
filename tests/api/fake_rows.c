/* SPDX-License-Identifier: MIT */
#include "fake_rows.h"

#include "engine/visitors.h"
#include "fake_store.h"

/* Ids of the definitions of a campaign begin with the campaign's id, except for the first campaign. */
enum { DEFINITIONS_OF_A_CAMPAIGN = 10 };

static const uint64_t accounts[FAKE_CAMPAIGNS + 1] = {
	[FAKE_CAMPAIGN] = FAKE_ACCOUNT,
	[FAKE_OTHER_CAMPAIGN] = FAKE_OTHER_ACCOUNT,
	[FAKE_ENDED_CAMPAIGN] = FAKE_ACCOUNT,
	[FAKE_STRICT_CAMPAIGN] = FAKE_ACCOUNT,
	[FAKE_SUSPENDED_CAMPAIGN] = FAKE_SUSPENDED_ACCOUNT,
};

/* The definitions of a campaign: a tag, an action, another action that the tag completes, and a reward. */
static const struct definitions *
define(struct pool *pool, uint64_t campaign_id)
{
	const uint64_t first = (campaign_id - 1) * DEFINITIONS_OF_A_CAMPAIGN + 1;
	struct definitions *definitions = POOL_NEW(pool, struct definitions);
	struct tag *tag = POOL_NEW(pool, struct tag);
	struct action *actions = POOL_ARRAY(pool, 2, struct action);
	struct reward_level *reward = POOL_NEW(pool, struct reward_level);
	*tag = (struct tag){ .id = first, .name = SLICE("vip"), .points = 5 };
	actions[0] = (struct action){ .id = first, .text = SLICE("share"), .points = 2 };
	actions[1] = (struct action){ .id = first + 1, .text = SLICE("be a vip"), .points = 4, .tag_id = first };
	*reward = (struct reward_level){ .id = first, .subject = SLICE("mug"), .required_points = 3 };
	*definitions = (struct definitions){ tag, 1, actions, 2, reward, 1 };
	return definitions;
}

static const struct webhook *
subscribe(struct pool *pool, uint64_t campaign_id)
{
	struct webhook *webhook = POOL_NEW(pool, struct webhook);
	*webhook = (struct webhook){ .id = campaign_id, .campaign_id = campaign_id, .events = EVENT_BIT(EVENT_TYPES) - 1 };
	return webhook;
}

void
fake_rows_add(struct pool *pool, struct working_set *set)
{
	set->campaigns = POOL_ARRAY(pool, FAKE_CAMPAIGNS, struct working_campaign);
	for (uint64_t id = 1; id <= FAKE_CAMPAIGNS; id++)
		set->campaigns[set->campaign_count++] = (struct working_campaign){
			.campaign = { .id = id,
			    .account_id = accounts[id],
			    .name = pool_printf(pool, "Campaign %u", (unsigned)id),
			    .created_ms = set->now_ms,
			    .ended_ms = -1,
			    .ends_ms = -1,
			    .landing_url = SLICE("https://shop.example/?page=1#top"),
			    .pages = true,
			    .verify_phone = true,
			    .mails = MESSAGE_BIT(MESSAGE_STATUS_LINK),
			    .jump_start = 100,
			    .points_signup = 1,
			    .points_direct = 2,
			    .points_indirect = 1,
			    .privacy = true },
			.webhooks = subscribe(pool, id),
			.webhook_count = 1,
			.definitions = define(pool, id),
			.lists = POOL_NEW(pool, struct campaign_lists),
		};
}

void
fake_rows_settle(struct working_set *set)
{
	struct campaign *strict = &set->campaigns[FAKE_STRICT_CAMPAIGN - 1].campaign;
	set->campaigns[FAKE_ENDED_CAMPAIGN - 1].campaign.ended_ms = set->now_ms;
	set->campaigns[FAKE_SUSPENDED_CAMPAIGN - 1].campaign.account_suspended = true;
	strict->privacy = false;
	strict->require_key = strict->require_verification = strict->waitlist = true;
	strict->max_per_ip = 1;
	strict->ip_counted_to = IP_COUNTED_ALL;
	strict->points_verified = 3;
	strict->bots = BOTS_PROOF_OR_CONFIRM;
	strict->bot_difficulty = 1;
	strict->blocked_email_domains = SLICE("example.com, spam.example");
	strict->blocked_referrers = SLICE("spam.example");
	strict->allowed_networks = SLICE("10.0.0.0/8");
}
