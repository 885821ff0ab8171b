/* SPDX-License-Identifier: MIT */
#include "admin/commands.h"

/* Filters of `delivery list` and `delivery redeliver`. */
static const uint32_t delivery_filters = OPTION_BIT(OPTION_WEBHOOK) | OPTION_BIT(OPTION_LEAD) | OPTION_BIT(OPTION_EVENT) |
					 OPTION_BIT(OPTION_STATE) | OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_UNTIL) |
					 OPTION_BIT(OPTION_LIMIT);
/* Filters of `lead list`, and the options that identify the lead of `lead show`. */
static const uint32_t lead_filters = OPTION_BIT(OPTION_VERIFIED) | OPTION_BIT(OPTION_WAITLISTED) |
				     OPTION_BIT(OPTION_FRAUDULENT) | OPTION_BIT(OPTION_OPTED_OUT) | OPTION_BIT(OPTION_TAG) |
				     OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_AFTER) | OPTION_BIT(OPTION_LIMIT);
static const uint32_t lead_names = OPTION_BIT(OPTION_EMAIL) | OPTION_BIT(OPTION_PHONE) | OPTION_BIT(OPTION_SOCIAL_ID);
static const uint32_t tag_details = OPTION_BIT(OPTION_POINTS) | OPTION_BIT(OPTION_DESCRIPTION);
static const uint32_t action_details = OPTION_BIT(OPTION_POINTS) | OPTION_BIT(OPTION_TAG);
static const uint32_t reward_details = OPTION_BIT(OPTION_REQUIRED_POINTS) | OPTION_BIT(OPTION_EMAILED);
static const uint32_t webhook_details = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SOURCE);

/* clang-format off */
static const struct admin_command commands[] = {
	{ "install", "", 0, 0, 0, false, OUTPUT_OBJECT, admin_install, "create the tables", NULL },
	{ "upgrade", "[--dry-run]", 0, 0, OPTION_BIT(OPTION_DRY_RUN), false, OUTPUT_OBJECT, admin_upgrade,
	  "upgrade the tables to this program's version", NULL },
	{ "check", "[--deep]", 0, 0, OPTION_BIT(OPTION_DEEP), false, OUTPUT_OBJECT, admin_check,
	  "check the installation for problems", NULL },
	{ "status", "", 0, 0, 0, true, OUTPUT_OBJECT, admin_status, "show counts and the backlog", NULL },
	{ "account add", "NAME", 1, 1, 0, true, OUTPUT_OBJECT, admin_account_add, "add an account", NULL },
	{ "account list", "", 0, 0, 0, true, OUTPUT_ARRAY, admin_account_list, "list the accounts", NULL },
	{ "account suspend", "ACCOUNT", 1, 1, 0, true, OUTPUT_OBJECT, admin_account_suspend,
	  "refuse all calls on its campaigns", NULL },
	{ "account resume", "ACCOUNT", 1, 1, 0, true, OUTPUT_OBJECT, admin_account_resume,
	  "accept calls on its campaigns again", NULL },
	{ "account limit", "ACCOUNT PER_MINUTE|default", 2, 2, 0, true, OUTPUT_OBJECT, admin_account_limit,
	  "set how many calls its keys may make", NULL },
	{ "key add", "ACCOUNT [--name NAME]", 1, 1, OPTION_BIT(OPTION_NAME), true, OUTPUT_OBJECT, admin_key_add,
	  "add an API key, shown once", NULL },
	{ "key list", "ACCOUNT", 1, 1, 0, true, OUTPUT_ARRAY, admin_key_list, "list the keys of an account", NULL },
	{ "key revoke", "KEY_ID", 1, 1, 0, true, OUTPUT_OBJECT, admin_key_revoke, "revoke a key", NULL },
	{ "campaign add", "ACCOUNT NAME [SETTING=VALUE...]", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_campaign_add,
	  "add a campaign", admin_campaign_settings },
	{ "campaign list", "[ACCOUNT]", 0, 1, 0, true, OUTPUT_ARRAY, admin_campaign_list, "list the campaigns", NULL },
	{ "campaign show", "CAMPAIGN", 1, 1, 0, true, OUTPUT_OBJECT, admin_campaign_show, "show a campaign and its settings", NULL },
	{ "campaign set", "CAMPAIGN SETTING=VALUE...", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_campaign_set,
	  "change settings of a campaign", admin_campaign_settings },
	{ "campaign end", "CAMPAIGN", 1, 1, 0, true, OUTPUT_OBJECT, admin_campaign_end, "accept no more leads", NULL },
	{ "campaign reopen", "CAMPAIGN", 1, 1, 0, true, OUTPUT_OBJECT, admin_campaign_reopen, "accept leads again", NULL },
	{ "tag add", "CAMPAIGN NAME [--points N] [--description TEXT]", 2, 2, tag_details, true, OUTPUT_OBJECT, admin_tag_add,
	  "add a tag", NULL },
	{ "tag list", "CAMPAIGN", 1, 1, 0, true, OUTPUT_ARRAY, admin_tag_list, "list the tags of a campaign", NULL },
	{ "tag set", "TAG SETTING=VALUE...", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_tag_set, "change a tag",
	  admin_tag_settings },
	{ "tag remove", "TAG", 1, 1, 0, true, OUTPUT_OBJECT, admin_tag_remove, "remove a tag", NULL },
	{ "action add", "CAMPAIGN TEXT [--points N] [--tag ID]", 2, 2, action_details, true, OUTPUT_OBJECT, admin_action_add,
	  "add an action", NULL },
	{ "action list", "CAMPAIGN", 1, 1, 0, true, OUTPUT_ARRAY, admin_action_list, "list the actions of a campaign", NULL },
	{ "action set", "ACTION SETTING=VALUE...", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_action_set, "change an action",
	  admin_action_settings },
	{ "action remove", "ACTION", 1, 1, 0, true, OUTPUT_OBJECT, admin_action_remove, "remove an action", NULL },
	{ "reward add", "CAMPAIGN SUBJECT --required-points N [--emailed]", 2, 2, reward_details, true, OUTPUT_OBJECT,
	  admin_reward_add, "add a reward level", NULL },
	{ "reward list", "CAMPAIGN", 1, 1, 0, true, OUTPUT_ARRAY, admin_reward_list, "list the reward levels of a campaign", NULL },
	{ "reward set", "REWARD SETTING=VALUE...", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_reward_set,
	  "change a reward level", admin_reward_settings },
	{ "reward remove", "REWARD", 1, 1, 0, true, OUTPUT_OBJECT, admin_reward_remove, "remove a reward level", NULL },
	{ "lead show", "CAMPAIGN --email|--phone|--social-id VALUE", 1, 1, lead_names, true, OUTPUT_OBJECT, admin_lead_show,
	  "show a lead with all its fields", NULL },
	{ "lead list", "CAMPAIGN [FILTER...]", 1, 1, lead_filters, true, OUTPUT_ARRAY, admin_lead_list,
	  "list leads in the order of their sign-ups", NULL },
	{ "webhook add", "CAMPAIGN URL EVENT...", 3, ADMIN_ANY, webhook_details, true, OUTPUT_OBJECT, admin_webhook_add,
	  "add a webhook; its secret is shown once", NULL },
	{ "webhook list", "CAMPAIGN", 1, 1, 0, true, OUTPUT_ARRAY, admin_webhook_list, "list the webhooks of a campaign", NULL },
	{ "webhook show", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_show, "show a webhook and its state", NULL },
	{ "webhook set", "WEBHOOK SETTING=VALUE...", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_webhook_set,
	  "change settings of a webhook", admin_webhook_settings },
	{ "webhook enable", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_enable,
	  "send to a disabled webhook again", NULL },
	{ "webhook disable", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_disable,
	  "stop sending to a webhook; its deliveries wait", NULL },
	{ "webhook rotate", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_rotate,
	  "give a webhook a new secret, shown once", NULL },
	{ "webhook test", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_test,
	  "send a test delivery and show the response", NULL },
	{ "webhook remove", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_remove, "remove a webhook", NULL },
	{ "delivery list", "[FILTER...]", 0, 0, delivery_filters, true, OUTPUT_ARRAY, admin_delivery_list,
	  "list deliveries, latest day first", NULL },
	{ "delivery show", "DELIVERY", 1, 1, 0, true, OUTPUT_OBJECT, admin_delivery_show,
	  "show a delivery, its payload and its attempts", NULL },
	{ "delivery redeliver", "DELIVERY...|FILTER...", 0, ADMIN_ANY, delivery_filters, true, OUTPUT_OBJECT,
	  admin_delivery_redeliver, "send deliveries again", NULL },
};
/* clang-format on */

const struct admin_command *
admin_commands(size_t *count)
{
	*count = ARRAY_SIZE(commands);
	return commands;
}
