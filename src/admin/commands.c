/* SPDX-License-Identifier: MIT */
#include "admin/commands.h"

/* What `delivery list` can be narrowed down by. */
static const uint32_t delivery_filters = OPTION_BIT(OPTION_WEBHOOK) | OPTION_BIT(OPTION_LEAD) | OPTION_BIT(OPTION_EVENT) |
					 OPTION_BIT(OPTION_STATE) | OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_UNTIL) |
					 OPTION_BIT(OPTION_LIMIT);
static const uint32_t webhook_details = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SOURCE);

/* clang-format off */
static const struct admin_command commands[] = {
	{ "install", "", 0, 0, 0, false, OUTPUT_OBJECT, admin_install, "make the tables", NULL },
	{ "upgrade", "[--dry-run]", 0, 0, OPTION_BIT(OPTION_DRY_RUN), false, OUTPUT_OBJECT, admin_upgrade,
	  "bring the tables to this program's version", NULL },
	{ "check", "", 0, 0, 0, false, OUTPUT_OBJECT, admin_check, "tell what is wrong with the installation", NULL },
	{ "status", "", 0, 0, 0, true, OUTPUT_OBJECT, admin_status, "show how much there is and what waits", NULL },
	{ "account add", "NAME", 1, 1, 0, true, OUTPUT_OBJECT, admin_account_add, "make an account", NULL },
	{ "account list", "", 0, 0, 0, true, OUTPUT_ARRAY, admin_account_list, "list the accounts", NULL },
	{ "key add", "ACCOUNT [--name NAME]", 1, 1, OPTION_BIT(OPTION_NAME), true, OUTPUT_OBJECT, admin_key_add,
	  "make an API key, shown once", NULL },
	{ "key list", "ACCOUNT", 1, 1, 0, true, OUTPUT_ARRAY, admin_key_list, "list the keys of an account", NULL },
	{ "key revoke", "KEY_ID", 1, 1, 0, true, OUTPUT_OBJECT, admin_key_revoke, "make a key worthless", NULL },
	{ "campaign add", "ACCOUNT NAME [SETTING=VALUE...]", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_campaign_add,
	  "make a campaign", admin_campaign_settings },
	{ "campaign list", "[ACCOUNT]", 0, 1, 0, true, OUTPUT_ARRAY, admin_campaign_list, "list the campaigns", NULL },
	{ "campaign show", "CAMPAIGN", 1, 1, 0, true, OUTPUT_OBJECT, admin_campaign_show, "show a campaign and its settings", NULL },
	{ "campaign set", "CAMPAIGN SETTING=VALUE...", 2, ADMIN_ANY, 0, true, OUTPUT_OBJECT, admin_campaign_set,
	  "change settings of a campaign", admin_campaign_settings },
	{ "campaign end", "CAMPAIGN", 1, 1, 0, true, OUTPUT_OBJECT, admin_campaign_end, "take no more leads", NULL },
	{ "campaign reopen", "CAMPAIGN", 1, 1, 0, true, OUTPUT_OBJECT, admin_campaign_reopen, "take leads again", NULL },
	{ "webhook add", "CAMPAIGN URL EVENT...", 3, ADMIN_ANY, webhook_details, true, OUTPUT_OBJECT, admin_webhook_add,
	  "make a webhook, its secret is shown once", NULL },
	{ "webhook list", "CAMPAIGN", 1, 1, 0, true, OUTPUT_ARRAY, admin_webhook_list, "list the webhooks of a campaign", NULL },
	{ "webhook remove", "WEBHOOK", 1, 1, 0, true, OUTPUT_OBJECT, admin_webhook_remove, "remove a webhook", NULL },
	{ "delivery list", "[FILTER...]", 0, 0, delivery_filters, true, OUTPUT_ARRAY, admin_delivery_list,
	  "list deliveries, the latest day first", NULL },
};
/* clang-format on */

const struct admin_command *
admin_commands(size_t *count)
{
	*count = ARRAY_SIZE(commands);
	return commands;
}
