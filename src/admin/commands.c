/* SPDX-License-Identifier: MIT */
#include "admin/commands.h"

#include "store/operator/admin.h"

/* Filters of `delivery list` and `delivery redeliver`. */
static const uint64_t delivery_filters = OPTION_BIT(OPTION_WEBHOOK) | OPTION_BIT(OPTION_LEAD) | OPTION_BIT(OPTION_EVENT) |
					 OPTION_BIT(OPTION_STATE) | OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_UNTIL) |
					 OPTION_BIT(OPTION_LIMIT);
/* Filters of `lead list`, and the options that identify the lead of `lead show`. */
static const uint64_t lead_filters = OPTION_BIT(OPTION_VERIFIED) | OPTION_BIT(OPTION_WAITLISTED) |
				     OPTION_BIT(OPTION_FRAUDULENT) | OPTION_BIT(OPTION_OPTED_OUT) | OPTION_BIT(OPTION_TAG) |
				     OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_AFTER) | OPTION_BIT(OPTION_LIMIT);
static const uint64_t lead_names = OPTION_BIT(OPTION_EMAIL) | OPTION_BIT(OPTION_PHONE) | OPTION_BIT(OPTION_SOCIAL_ID);
static const uint64_t setup_options =
    OPTION_BIT(OPTION_WEB_SERVER) | OPTION_BIT(OPTION_BASE_URL) | OPTION_BIT(OPTION_DATABASE_HOST) |
    OPTION_BIT(OPTION_DATABASE_NAME) | OPTION_BIT(OPTION_DATABASE_USER) | OPTION_BIT(OPTION_DATABASE_PASSWORD_FILE) |
    OPTION_BIT(OPTION_ACCOUNT_NAME) | OPTION_BIT(OPTION_CAMPAIGN_NAME) | OPTION_BIT(OPTION_DRY_RUN);
static const uint64_t person_names = OPTION_BIT(OPTION_EMAIL) | OPTION_BIT(OPTION_PHONE) | OPTION_BIT(OPTION_CAMPAIGN);
static const uint64_t import_options =
    OPTION_BIT(OPTION_ENCODING) | OPTION_BIT(OPTION_MAP) | OPTION_BIT(OPTION_DELIMITER) | OPTION_BIT(OPTION_COUNTRY_CODE) |
    OPTION_BIT(OPTION_REJECTS) | OPTION_BIT(OPTION_DROP_REFERRERS) | OPTION_BIT(OPTION_EVENTS) | OPTION_BIT(OPTION_DRY_RUN);
static const uint64_t export_options = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_DELIMITER) | OPTION_BIT(OPTION_VERIFIED) |
				       OPTION_BIT(OPTION_WAITLISTED) | OPTION_BIT(OPTION_FRAUDULENT) |
				       OPTION_BIT(OPTION_OPTED_OUT) | OPTION_BIT(OPTION_TAG) | OPTION_BIT(OPTION_SINCE) |
				       OPTION_BIT(OPTION_AFTER);
static const uint64_t mail_filters =
    OPTION_BIT(OPTION_CAMPAIGN) | OPTION_BIT(OPTION_STATE) | OPTION_BIT(OPTION_KIND) | OPTION_BIT(OPTION_LIMIT);
static const uint64_t preview_options = OPTION_BIT(OPTION_LANGUAGE) | OPTION_BIT(OPTION_EMAIL) | OPTION_BIT(OPTION_SOCIAL_ID) |
					OPTION_BIT(OPTION_HTML) | OPTION_BIT(OPTION_CONTENT);
static const uint64_t doctor_options = OPTION_BIT(OPTION_URL) | OPTION_BIT(OPTION_WEB_CONFIG) | OPTION_BIT(OPTION_ACCESS_LOG);
static const uint64_t tag_details = OPTION_BIT(OPTION_POINTS) | OPTION_BIT(OPTION_DESCRIPTION);
static const uint64_t action_details = OPTION_BIT(OPTION_POINTS) | OPTION_BIT(OPTION_TAG) | OPTION_BIT(OPTION_PUBLIC);
static const uint64_t reward_details = OPTION_BIT(OPTION_REQUIRED_POINTS) | OPTION_BIT(OPTION_EMAILED);
static const uint64_t webhook_details = OPTION_BIT(OPTION_FORMAT) | OPTION_BIT(OPTION_SOURCE);
static const uint64_t inbound_details = OPTION_BIT(OPTION_TAG) | OPTION_BIT(OPTION_SOURCE) | OPTION_BIT(OPTION_MAP);

/* clang-format off */
static const struct admin_command commands[] = {
	{ "setup", "[--web-server NAME] [--base-url URL] [OPTION...] [--dry-run]", 0, 0, admin_setup, .options = setup_options,
	  .any_schema = true, .without_lists = true, .without_json = true,
	  .help = "set up database, web server and programs on this host" },
	{ "install", "", 0, 0, admin_upgrade, .any_schema = true, .help = "create the tables" },
	{ "upgrade", "[--dry-run]", 0, 0, admin_upgrade, .options = OPTION_BIT(OPTION_DRY_RUN), .any_schema = true,
	  .help = "upgrade the tables to this program's version" },
	{ "domains update", "--file FILE [--dry-run]", 0, 0, admin_domains_update,
	  .options = OPTION_BIT(OPTION_FILE) | OPTION_BIT(OPTION_DRY_RUN), .required = OPTION_BIT(OPTION_FILE), .any_schema = true,
	  .without_lists = true, .help = "replace the list of disposable domains" },
	{ "check", "[--deep] [--restored]", 0, 0, admin_check, .any_schema = true,
	  .options = OPTION_BIT(OPTION_DEEP) | OPTION_BIT(OPTION_RESTORED),
	  .help = "check the installation for problems" },
	{ "doctor", "[--url URL] [--web-config FILE] [--access-log FILE]", 0, 0, admin_doctor, .options = doctor_options,
	  .any_configuration = true, .any_schema = true, .help = "find faults of the installation and its web server" },
	{ "status", "", 0, 0, admin_status, .help = "show counts and the backlog" },
	{ "metrics", "", 0, 0, admin_metrics, .any_schema = true, .without_lists = true, .without_json = true,
	  .help = "print the metrics, as GET /metrics does" },
	{ "account add", "NAME", 1, 1, admin_account_add, .help = "add an account" },
	{ "account list", "", 0, 0, admin_account_list, .shape = OUTPUT_ARRAY, .help = "list the accounts" },
	{ "account suspend", "ACCOUNT", 1, 1, admin_account_suspend, .variant = true,
	  .help = "refuse all calls on its campaigns" },
	{ "account resume", "ACCOUNT", 1, 1, admin_account_suspend, .variant = false,
	  .help = "accept calls on its campaigns again" },
	{ "account limit", "ACCOUNT PER_MINUTE|default", 2, 2, admin_account_limit,
	  .help = "set how many calls its keys may make" },
	{ "account remove", "ACCOUNT --yes", 1, 1, admin_remove, .variant = true, .options = OPTION_BIT(OPTION_YES),
	  .help = "delete an account with its keys and campaigns" },
	{ "key add", "ACCOUNT [--name NAME]", 1, 1, admin_key_add, .options = OPTION_BIT(OPTION_NAME),
	  .help = "add an API key, shown once" },
	{ "key list", "ACCOUNT", 1, 1, admin_key_list, .shape = OUTPUT_ARRAY, .help = "list the keys of an account" },
	{ "key revoke", "KEY_ID", 1, 1, admin_key_revoke, .help = "revoke a key" },
	{ "campaign add", "ACCOUNT NAME [--id N] [SETTING=VALUE...]", 2, ADMIN_ANY, admin_campaign_add,
	  .options = OPTION_BIT(OPTION_ID), .settings = &admin_campaign_settings, .help = "add a campaign" },
	{ "campaign list", "[ACCOUNT]", 0, 1, admin_campaign_list, .shape = OUTPUT_ARRAY, .help = "list the campaigns" },
	{ "campaign show", "CAMPAIGN", 1, 1, admin_campaign_show, .help = "show a campaign and its settings" },
	{ "campaign set", "CAMPAIGN SETTING=VALUE...", 2, ADMIN_ANY, admin_campaign_set, .settings = &admin_campaign_settings,
	  .help = "change settings of a campaign" },
	{ "campaign embed", "CAMPAIGN [--integrity]", 1, 1, admin_campaign_embed, .options = OPTION_BIT(OPTION_INTEGRITY),
	  .help = "show what a page needs for a campaign" },
	{ "campaign end", "CAMPAIGN", 1, 1, admin_campaign_end, .variant = true, .help = "accept no more leads" },
	{ "campaign reopen", "CAMPAIGN", 1, 1, admin_campaign_end, .variant = false, .help = "accept leads again" },
	{ "campaign remove", "CAMPAIGN --yes", 1, 1, admin_remove, .variant = false, .options = OPTION_BIT(OPTION_YES),
	  .help = "delete a campaign with its leads and all of their data" },
	{ "page show", "CAMPAIGN", 1, 1, admin_page_show, .shape = OUTPUT_ARRAY,
	  .help = "list the own texts and looks of the pages of a campaign" },
	{ "page set", "CAMPAIGN [--language CODE] NAME=VALUE|NAME=@FILE...", 2, ADMIN_ANY, admin_page_set, .shape = OUTPUT_ARRAY,
	  .options = OPTION_BIT(OPTION_LANGUAGE), .help = "change texts and looks of the pages of a campaign" },
	{ "tag add", "CAMPAIGN NAME [--points N] [--description TEXT]", 2, 2, admin_definition_add, .variant = DEFINITION_TAG,
	  .options = tag_details, .help = "add a tag" },
	{ "tag list", "CAMPAIGN", 1, 1, admin_tag_list, .shape = OUTPUT_ARRAY, .help = "list the tags of a campaign" },
	{ "tag set", "TAG SETTING=VALUE...", 2, ADMIN_ANY, admin_definition_set, .variant = DEFINITION_TAG,
	  .settings = &admin_tag_settings, .help = "change a tag" },
	{ "tag remove", "TAG", 1, 1, admin_definition_remove, .variant = DEFINITION_TAG, .help = "remove a tag" },
	{ "action add", "CAMPAIGN TEXT [--points N] [--tag ID] [--public]", 2, 2, admin_definition_add,
	  .variant = DEFINITION_ACTION, .options = action_details, .help = "add an action" },
	{ "action list", "CAMPAIGN", 1, 1, admin_action_list, .shape = OUTPUT_ARRAY, .help = "list the actions of a campaign" },
	{ "action set", "ACTION SETTING=VALUE...", 2, ADMIN_ANY, admin_definition_set, .variant = DEFINITION_ACTION,
	  .settings = &admin_action_settings, .help = "change an action" },
	{ "action remove", "ACTION", 1, 1, admin_definition_remove, .variant = DEFINITION_ACTION, .help = "remove an action" },
	{ "reward add", "CAMPAIGN SUBJECT --required-points N [--emailed]", 2, 2, admin_definition_add,
	  .variant = DEFINITION_REWARD, .options = reward_details, .required = OPTION_BIT(OPTION_REQUIRED_POINTS),
	  .help = "add a reward level" },
	{ "reward list", "CAMPAIGN", 1, 1, admin_reward_list, .shape = OUTPUT_ARRAY,
	  .help = "list the reward levels of a campaign" },
	{ "reward set", "REWARD SETTING=VALUE...", 2, ADMIN_ANY, admin_definition_set, .variant = DEFINITION_REWARD,
	  .settings = &admin_reward_settings, .help = "change a reward level" },
	{ "reward remove", "REWARD", 1, 1, admin_definition_remove, .variant = DEFINITION_REWARD,
	  .help = "remove a reward level" },
	{ "lead show", "CAMPAIGN --email|--phone|--social-id VALUE", 1, 1, admin_lead_show, .options = lead_names,
	  .help = "show a lead with all its fields" },
	{ "lead code", "CAMPAIGN --email|--phone|--social-id VALUE", 1, 1, admin_lead_code, .options = lead_names,
	  .help = "make a code that verifies the phone number of a lead" },
	{ "lead list", "CAMPAIGN [FILTER...]", 1, 1, admin_lead_list, .options = lead_filters, .shape = OUTPUT_ARRAY,
	  .help = "list leads in the order of their sign-ups" },
	{ "lead import", "CAMPAIGN FILE|- [--map COLUMN=FIELD...] [--rejects FILE] [OPTION...]", 2, ADMIN_ANY, admin_lead_import,
	  .options = import_options, .help = "import leads of another service from CSV or NDJSON" },
	{ "lead export", "CAMPAIGN [FILE|-] [--format csv|ndjson] [--delimiter C] [FILTER...]", 1, 2, admin_lead_export,
	  .options = export_options, .help = "write leads to a CSV or NDJSON file" },
	{ "lead erase", "--email|--phone VALUE [--campaign ID] [--forget]", 0, 0, admin_lead_erase,
	  .options = person_names | OPTION_BIT(OPTION_IMPORTABLE), .help = "delete all that is stored about a person" },
	{ "lead report", "--email|--phone VALUE [--campaign ID]", 0, 0, admin_lead_report, .options = person_names,
	  .help = "show all that is stored about a person" },
	{ "webhook add", "CAMPAIGN URL EVENT...", 3, ADMIN_ANY, admin_webhook_add, .options = webhook_details,
	  .help = "add a webhook; its secret is shown once" },
	{ "webhook list", "CAMPAIGN", 1, 1, admin_webhook_list, .shape = OUTPUT_ARRAY,
	  .help = "list the webhooks of a campaign" },
	{ "webhook show", "WEBHOOK", 1, 1, admin_webhook_show, .help = "show a webhook and its state" },
	{ "webhook set", "WEBHOOK SETTING=VALUE...", 2, ADMIN_ANY, admin_webhook_set, .settings = &admin_webhook_settings,
	  .help = "change settings of a webhook" },
	{ "webhook enable", "WEBHOOK", 1, 1, admin_webhook_enable, .variant = true,
	  .help = "send to a disabled webhook again" },
	{ "webhook disable", "WEBHOOK", 1, 1, admin_webhook_enable, .variant = false,
	  .help = "stop sending to a webhook; its deliveries wait" },
	{ "webhook rotate", "WEBHOOK", 1, 1, admin_webhook_rotate, .help = "give a webhook a new secret, shown once" },
	{ "webhook test", "WEBHOOK", 1, 1, admin_webhook_test, .help = "send a test delivery and show the response" },
	{ "webhook remove", "WEBHOOK", 1, 1, admin_webhook_remove, .help = "remove a webhook" },
	{ "inbound add", "CAMPAIGN NAME [--tag ID] [--source TEXT] [--map PARAMETER=PATH]...", 2, 2, admin_inbound_add,
	  .options = inbound_details, .help = "add an inbound webhook; its URL is shown once" },
	{ "inbound list", "CAMPAIGN", 1, 1, admin_inbound_list, .shape = OUTPUT_ARRAY,
	  .help = "list the inbound webhooks of a campaign" },
	{ "inbound show", "INBOUND", 1, 1, admin_inbound_show, .help = "show an inbound webhook" },
	{ "inbound set", "INBOUND [--tag ID] [--source TEXT] [--map PARAMETER=PATH]...", 1, 1, admin_inbound_set,
	  .options = inbound_details, .help = "change an inbound webhook" },
	{ "inbound rotate", "INBOUND [--now]", 1, 1, admin_inbound_rotate, .options = OPTION_BIT(OPTION_NOW),
	  .help = "give an inbound webhook a new URL, shown once" },
	{ "inbound remove", "INBOUND", 1, 1, admin_inbound_remove, .help = "remove an inbound webhook and its log" },
	{ "inbound test", "INBOUND [FILE|-]", 1, 2, admin_inbound_test, .help = "show what would come of a payload" },
	{ "inbound log", "INBOUND [--state STATE] [--limit N]", 1, 1, admin_inbound_log, .shape = OUTPUT_ARRAY,
	  .options = OPTION_BIT(OPTION_STATE) | OPTION_BIT(OPTION_LIMIT), .help = "list the last calls, latest first" },
	{ "inbound lead", "CAMPAIGN --email|--phone|--social-id VALUE", 1, 1, admin_inbound_lead, .shape = OUTPUT_ARRAY,
	  .options = lead_names, .help = "list the calls that made or changed a lead" },
	{ "inbound call", "CALL", 1, 1, admin_inbound_call, .help = "show a call and its payload" },
	{ "inbound replay", "CALL", 1, 1, admin_inbound_replay, .help = "run a payload again" },
	{ "mail list", "[--campaign ID] [--state STATE] [--kind KIND] [--limit N]", 0, 0, admin_mail_list,
	  .options = mail_filters, .shape = OUTPUT_ARRAY, .help = "list mails, the newest first" },
	{ "mail show", "MAIL [--content]", 1, 1, admin_mail_show, .options = OPTION_BIT(OPTION_CONTENT),
	  .help = "show a mail and what the mail server answered" },
	{ "mail template", "CAMPAIGN KIND [--language CODE]", 2, 2, admin_mail_template, .options = OPTION_BIT(OPTION_LANGUAGE),
	  .help = "show the templates of a mail, own or default ones" },
	{ "mail set", "CAMPAIGN KIND [--language CODE] PART=VALUE|PART=@FILE...", 3, ADMIN_ANY, admin_mail_set,
	  .options = OPTION_BIT(OPTION_LANGUAGE), .help = "change the own templates of a mail" },
	{ "mail preview", "CAMPAIGN KIND [--language CODE] [--email|--social-id VALUE] [--html FILE] [--content]", 2, 2,
	  admin_mail_preview, .options = preview_options, .help = "show a mail with sample values, or with those of a lead" },
	{ "mail resend", "MAIL...", 1, ADMIN_ANY, admin_mail_resend, .help = "send mails again" },
	{ "mail test", "ADDRESS", 1, 1, admin_mail_test, .help = "send a test mail and show what the mail server answers" },
	{ "delivery list", "[FILTER...]", 0, 0, admin_delivery_list, .options = delivery_filters, .shape = OUTPUT_ARRAY,
	  .help = "list deliveries, latest day first" },
	{ "delivery show", "DELIVERY", 1, 1, admin_delivery_show, .help = "show a delivery, its payload and its attempts" },
	{ "delivery redeliver", "DELIVERY...|FILTER...", 0, ADMIN_ANY, admin_delivery_redeliver, .options = delivery_filters,
	  .help = "send deliveries again" },
	{ "completion bash", "", 0, 0, admin_completion, .standalone = true, .without_json = true,
	  .help = "print the completion script for bash" },
};
/* clang-format on */

const struct admin_command *
admin_commands(size_t *count)
{
	*count = ARRAY_SIZE(commands);
	return commands;
}
