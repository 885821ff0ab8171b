/* SPDX-License-Identifier: MIT
 * Campaigns and their settings. */
#include "admin/campaigns/campaign_operations.h"

#include <inttypes.h>
#include <string.h>

#include "admin/jobs/job_operations.h"
#include "bots/challenge.h"
#include "engine/message.h"
#include "engine/rank.h"
#include "engine/visitors.h"
#include "operation/value_types.h"
#include "store/operator/accounts.h"
#include "store/operator/campaign_settings.h"
#include "store/operator/cluster_numbers.h"
#include "text/text.h"

struct campaign_add {
	struct slice name;
	uint64_t id; /* 0: the next free id */
};

/* ---- settings ---- */

static bool
parse_language(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	enum text_language language;
	const bool automatic = slice_equal(text, SLICE("auto"));
	if (!automatic && !text_language_parse(text, &language))
		return false;
	*(struct slice *)place = automatic ? SLICE_NONE : text_language_code(language);
	return true;
}

static bool
parse_mails(struct value_reading *reading, struct slice text, void *place)
{
	uint32_t mails = 0;
	while (slice_next_item(&text, &reading->invalid)) {
		enum message_kind kind;
		if (!message_kind_parse(reading->invalid, &kind) || (MESSAGE_BIT(kind) & MESSAGES_CHOSEN) == 0)
			return false;
		mails |= MESSAGE_BIT(kind);
	}
	*(uint32_t *)place = mails;
	return true;
}

#define WORDS(name, list, count, text) \
	static const struct value_type name = { WORD_TYPE(uint32_t, list, count), .expected = text }
static const struct slice request_names[] = { [CAMPAIGN_OPENS] = SLICE("active"), [CAMPAIGN_ENDS] = SLICE("ended") };
WORDS(value_request, request_names, ARRAY_SIZE(request_names), "active or ended");
WORDS(value_form_answer, form_answer_names, FORM_ANSWERS, "auto, json or redirect");
WORDS(value_public_lookup, public_lookup_names, PUBLIC_LOOKUPS, "all, social_id, own or none");
WORDS(value_public_update, public_update_names, PUBLIC_UPDATES, "all, own or none");
WORDS(value_leaderboard_names, leaderboard_names, LEADERBOARD_NAMES, "initial, first or full");
WORDS(value_bots, campaign_bots_names, CAMPAIGN_BOTS, "off, honeypot, proof or proof_or_confirm");
static const struct value_type value_language = {
	.parse = parse_language, .size = sizeof(struct slice), .expected = "auto, en, de, es or fr"
};
static const struct value_type value_mails = { .parse = parse_mails,
	.size = sizeof(uint32_t),
	.form = VALUE_LIST,
	.expected = "welcome, reward, referral or status_link, several with commas or spaces, or nothing" };
static const struct value_type value_difficulty = { NUMBER_TYPE(uint32_t, 1, DIFFICULTY_MAX),
	.expected = "a number from 1 to 8" };
static const struct value_type value_visits = { NUMBER_TYPE(uint32_t, 0, UINT32_MAX),
	.expected = "a whole number, 0 for no limit" };

enum { SUMMARY_SETTINGS = 2 }; /* name and state, which the summary shows */
#define PLACE(member) offsetof(struct campaign_settings, member)
static const struct parameter setting_rows[] = {
	SETTING("name", value_name, PLACE(name)),
	SETTING("state", value_request, PLACE(request)),
	SETTING("ends_at", value_end, PLACE(ends_ms)),
	SETTING("jump_start", value_count, PLACE(jump_start)),
	SETTING("privacy", value_boolean, PLACE(privacy)),
	SETTING("require_key", value_boolean, PLACE(require_key)),
	SETTING("compat", value_boolean, PLACE(compat)),
	SETTING("landing_url", value_url, PLACE(landing_url)),
	SETTING("thankyou_url", value_url, PLACE(thankyou_url)),
	SETTING("status_url", value_url, PLACE(status_url)),
	SETTING("points_signup", value_points, PLACE(points_signup)),
	SETTING("points_direct", value_points, PLACE(points_direct)),
	SETTING("points_indirect", value_points, PLACE(points_indirect)),
	SETTING("points_verified", value_points, PLACE(points_verified)),
	SETTING("require_verification", value_boolean, PLACE(require_verification)),
	SETTING("waitlist", value_boolean, PLACE(waitlist)),
	SETTING("max_per_ip", value_visits, PLACE(max_per_ip)),
	SETTING("blocked_email_domains", value_hosts, PLACE(blocked_email_domains)),
	SETTING("blocked_referrers", value_hosts, PLACE(blocked_referrers)),
	SETTING("allowed_networks", value_networks, PLACE(allowed_networks)),
	SETTING("pages", value_boolean, PLACE(pages)),
	SETTING("language", value_language, PLACE(language)),
	SETTING("hosts", value_hosts, PLACE(hosts)),
	SETTING("hosts_only", value_boolean, PLACE(hosts_only)),
	SETTING("form_answer", value_form_answer, PLACE(form_answer)),
	SETTING("public_lookup", value_public_lookup, PLACE(public_lookup)),
	SETTING("public_update", value_public_update, PLACE(public_update)),
	SETTING("leaderboard_names", value_leaderboard_names, PLACE(leaderboard_names)),
	SETTING("mails", value_mails, PLACE(mails)),
	SETTING("verify_email", value_boolean, PLACE(verify_email)),
	SETTING("verify_phone", value_boolean, PLACE(verify_phone)),
	SETTING("bots", value_bots, PLACE(bots)),
	SETTING("bot_difficulty", value_difficulty, PLACE(bot_difficulty)),
};
#undef PLACE
static const struct settings_table settings_table = SETTINGS_OF(setting_rows, struct campaign_settings, "a campaign");

/* Settings that decide what callers without a key may read or change: only callers that may do the same can set them. Where
 * leads are protected, the settings of mails and codes are among them, because mails and codes keep the answer to a sign-up
 * from showing which leads exist. */
static const struct {
	const char *setting;
	enum right right;
	bool where_protected; /* only where leads are protected */
} guarded[] = {
	{ "privacy", RIGHT_LEADS, false },
	{ "require_key", RIGHT_LEADS, false },
	{ "public_lookup", RIGHT_LEADS, false },
	{ "public_update", RIGHT_CHANGE, false },
	{ "leaderboard_names", RIGHT_LEADS, false },
	{ "mails", RIGHT_LEADS, true },
	{ "verify_email", RIGHT_LEADS, true },
	{ "verify_phone", RIGHT_LEADS, true },
};

/* Checks the given settings of a campaign with this `public_lookup`. Returns EX_OK, or a status after reporting a setting that
 * the caller may not change. */
static int
check_rights(struct operation_call *call, uint32_t public_lookup)
{
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++) {
		size_t count;
		if (guarded[i].where_protected && public_lookup == PUBLIC_LOOKUP_ALL)
			continue;
		if (settings_have(call, guarded[i].setting) && !caller_has_right(call->caller, guarded[i].right))
			return operation_fail(call, PROBLEM_FORBIDDEN, "%s needs the right %.*s, too", guarded[i].setting,
			    SLICE_ARGS(rights_words(call->pool, (rights)guarded[i].right, &count)[0]));
	}
	return EX_OK;
}

static bool
edit_settings(void *context, struct campaign_settings *settings)
{
	struct operation_call *call = context;
	if (check_rights(call, settings->public_lookup) != EX_OK)
		return false;
	settings_assign(call, settings);
	return true;
}

/* Shows what a sign-up without a key gets if its address is that of a lead: the lead, a mail to that address, or nothing. */
static void
add_repeated_signup(struct operation_call *call, uint32_t public_lookup, uint32_t mails)
{
	const struct campaign campaign = { .public_lookup = public_lookup, .mails = mails };
	const bool is_mailed = store_sends_mail(call->store) && campaign_mails_known_leads(&campaign);
	const struct slice unseen = is_mailed ? SLICE("mail") : SLICE("nothing");
	output_text(call->output, "repeated_signup",
	    visitor_may_see(&campaign, LEAD_BY_EMAIL, VISITOR_STRANGER) ? SLICE("lead") : unseen);
}

static int
answer_added(struct operation_call *call, enum result result, uint64_t id, const struct campaign_settings *settings)
{
	const int status = operation_answer_id(call, result, id);
	if (status == EX_OK) {
		output_text(call->output, "name", settings->name);
		add_repeated_signup(call, settings->public_lookup, settings->mails);
	}
	return status;
}

static int
add_with_id(struct operation_call *call, const struct campaign_settings *settings, uint64_t id)
{
	struct id_verdict verdict;
	enum result result = store_add_campaign_as(call->store, call->id, settings, id, &verdict);
	if (result != RESULT_REFUSED)
		return answer_added(call, result, id, settings);
	if (verdict.is_taken)
		return operation_fail(call, PROBLEM_CONFLICT,
		    "there is a campaign with the id %" PRIu64 " already, or its rows are still being deleted", id);
	return operation_fail(call, PROBLEM_INVALID,
	    "%" PRIu64 " is not an id of this cluster (cluster.number): its campaigns have ids from %" PRIu64 " to %" PRIu64,
	    id, verdict.first, verdict.last);
}

/* By default, clients without a key may see and change everything that the interface allows. A campaign that moves here with
 * the id that it had at another service sends no mails: its leads do not expect any from this service. */
static struct campaign_settings
new_campaign(const struct campaign_add *arguments)
{
	const bool moves_in = arguments->id != 0;
	return (struct campaign_settings){
		.name = arguments->name,
		.ends_ms = -1,
		.privacy = true,
		.points_direct = 1,
		.pages = true,
		.public_lookup = PUBLIC_LOOKUP_ALL,
		.public_update = PUBLIC_UPDATE_ALL,
		.mails = moves_in ? 0 : MESSAGES_CHOSEN,
		.bots = moves_in ? BOTS_OFF : BOTS_HONEYPOT,
		.bot_difficulty = DIFFICULTY_DEFAULT,
	};
}

static const struct value_type value_campaign_id = { NUMBER_TYPE(uint64_t, 1, CAMPAIGN_ID_MAX),
	.expected = "a number from 1 to 34359738367" };
static const struct parameter add_parameters[] = {
	OPERAND("name", value_name, offsetof(struct campaign_add, name)),
	OPTION_WITH("id", value_campaign_id, offsetof(struct campaign_add, id), PARAMETER_OPERATOR),
};

static int
run_campaign_add(struct operation_call *call)
{
	const struct campaign_add *arguments = ARGUMENTS(call, struct campaign_add);
	uint64_t id = arguments->id;
	const int status = check_rights(call, PUBLIC_LOOKUP_ALL);
	if (status != EX_OK)
		return status;
	struct campaign_settings settings = new_campaign(arguments);
	settings_assign(call, &settings);
	if (id != 0)
		return add_with_id(call, &settings, id);
	enum result result = store_add_campaign(call->store, &call->precondition, call->id, &settings,
	    operation_maximum(call, call->conf->limits.campaigns_per_account), &id);
	if (result == RESULT_TOO_MANY)
		return operation_fail(call, PROBLEM_CONFLICT, TOO_MANY_IN_ACCOUNT("campaigns"));
	return answer_added(call, result, id, &settings);
}

/* The fields of GET /v2/campaigns (docs/api.md 4.1), and the account. */
static void
add_summary(struct operation_call *call, const struct campaign *campaign, int64_t now_ms)
{
	struct output *output = call->output;
	output_record(output);
	output_u64(output, "id", campaign->id);
	output_text(output, "name", campaign->name);
	if (rights_suffice(caller_rights(call->caller), RIGHTS_TO_COUNT, false))
		output_u64(output, "lead_count", (uint64_t)campaign->counters.leads + campaign->jump_start);
	else
		output_text(output, "lead_count", SLICE_NONE);
	output_text(output, "state", campaign_has_ended(campaign, now_ms) ? SLICE("ended") : SLICE("active"));
	output_time(output, "created_at", campaign->created_ms);
	output_u64(output, "account_id", campaign->account_id);
}

enum result
campaigns_of_caller(
    struct operation_call *call, struct list_part part, struct campaign **campaigns, size_t *count, int64_t *now_ms)
{
	const uint64_t account_id = call->id != 0 ? call->id : caller_account(call->caller);
	size_t all = 0;
	*count = 0;
	enum result result = call->id == 0 ? RESULT_OK : store_find_account(call->store, call->id);
	if (result == RESULT_OK)
		result = store_list_campaigns(call->store, call->pool, account_id, part, campaigns, &all, now_ms);
	if (result == RESULT_OK && all == part.limit)
		operation_next_id(call, (*campaigns)[all - 1].id);
	for (size_t i = 0; result == RESULT_OK && i < all; i++)
		if (caller_sees(call->caller, (*campaigns)[i].account_id, (*campaigns)[i].id))
			(*campaigns)[(*count)++] = (*campaigns)[i];
	return result;
}

static int
run_campaign_list(struct operation_call *call)
{
	const struct list_part part = value_large_part(call);
	struct campaign *campaigns;
	size_t count;
	int64_t now_ms;
	const enum result result = campaigns_of_caller(call, part, &campaigns, &count, &now_ms);
	for (size_t i = 0; result == RESULT_OK && i < count; i++)
		add_summary(call, &campaigns[i], now_ms);
	return operation_answer(call, result);
}

static void
add_mails(struct output *output, uint32_t mails)
{
	struct slice names[MESSAGE_KINDS];
	size_t count = 0;
	for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++)
		if ((mails & MESSAGE_BIT(kind)) != 0)
			names[count++] = message_kind_name((enum message_kind)kind);
	output_texts(output, "mails", names, count);
}

/* A word that only a later version knows is shown as null. */
static void
add_setting(struct output *output, const struct parameter *setting, const struct campaign_settings *settings)
{
	const void *place = (const char *)settings + setting->place;
	const struct value_type *type = setting->type;
	const uint32_t number = type->size == sizeof(uint32_t) ? *(const uint32_t *)place : 0;
	if (type == &value_end)
		output_time(output, setting->name, *(const int64_t *)place);
	else if (type == &value_boolean)
		output_boolean(output, setting->name, *(const bool *)place);
	else if (type == &value_mails)
		add_mails(output, number);
	else if (type == &value_language && !slice_present(settings->language))
		output_text(output, setting->name, SLICE("auto"));
	else if (type->words != NULL)
		output_text(output, setting->name, number < type->word_count ? type->words[number] : SLICE_NONE);
	else if (type->size == sizeof(uint32_t))
		output_u64(output, setting->name, number);
	else
		output_text(output, setting->name, *(const struct slice *)place);
}

static int
run_campaign_show(struct operation_call *call)
{
	struct campaign campaign;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result != RESULT_OK)
		return operation_answer(call, result);
#define COPY(type, member) .member = campaign.member,
	const struct campaign_settings settings = { CAMPAIGN_SETTINGS(COPY) };
#undef COPY
	add_summary(call, &campaign, now_ms);
	output_time(call->output, "ended_at", campaign.ended_ms);
	for (size_t i = SUMMARY_SETTINGS; i < ARRAY_SIZE(setting_rows); i++) {
		add_setting(call->output, &setting_rows[i], &settings);
		if (setting_rows[i].type != &value_visits)
			continue;
		if (campaign.max_per_ip == 0)
			output_text(call->output, "addresses_counted", SLICE_NONE);
		else
			output_boolean(call->output, "addresses_counted", campaign_judges_addresses(&campaign));
	}
	add_repeated_signup(call, campaign.public_lookup, campaign.mails);
	return EX_OK;
}

/* May take a long time with many leads. If it is interrupted, only some of them have been counted. */
static enum result
count_addresses(struct operation_call *call)
{
	enum result result = RESULT_OK;
	for (bool done = false; result == RESULT_OK && !done;)
		result = store_count_addresses(call->store, call->id, &done);
	return result;
}

static const struct parameter set_parameters[] = {
	OPTION_WITH("queue", value_on, 0, PARAMETER_SHELL | PARAMETER_ON_BY_HTTP),
};

static int
run_campaign_set(struct operation_call *call)
{
	const bool counts = settings_have(call, "max_per_ip");
	if (parameter_is_given(call, "queue") && !counts)
		return operation_fail_value(call, PROBLEM_USAGE, "queue", "only with max_per_ip");
	const bool queues = counts && *ARGUMENTS(call, bool);
	struct campaign_change change = { .edit = edit_settings, .context = call };
	if (queues)
		change.count_by = queued_job_made_by(call);
	enum result result = store_edit_campaign(call->store, &call->precondition, call->id, &change);
	if (result == RESULT_REFUSED)
		return EX_DATAERR; /* already reported */
	/* a caller over HTTP finds the job in the list of jobs */
	if (queues && (result != RESULT_OK || (change.job_id != 0 && !call->is_remote)))
		return queued_job_answer(call, result, change.job_id);
	if (result == RESULT_OK && counts && !queues)
		result = count_addresses(call);
	return result == RESULT_OK ? run_campaign_show(call) : operation_answer(call, result);
}

/* Ends the campaign if the variant is true; otherwise reopens it. */
static int
run_campaign_end(struct operation_call *call)
{
	const bool ends = call->operation->variant;
	enum result result = ends ? store_end_campaign(call->store, &call->precondition, call->id)
				  : store_reopen_campaign(call->store, &call->precondition, call->id);
	return result == RESULT_OK ? run_campaign_show(call) : operation_answer(call, result);
}

OPERATION(campaign_add, "campaign add", "ACCOUNT NAME [--id N] [SETTING=VALUE...]", "add a campaign", run_campaign_add,
    .subject = &subject_account, PARAMETERS(add_parameters, struct campaign_add), .settings = &settings_table,
    .settings_are_optional = true, HTTP(POST, "accounts/{account}/campaigns", RIGHT_MANAGE), .effect = CREATES);
OPERATION(campaign_list, "campaign list", "[ACCOUNT] [--limit N] [--after N]", "list the campaigns", run_campaign_list,
    .subject = &subject_account, .subject_is_optional = true, PARAMETERS(value_large_part_parameters, struct list_part),
    .shape = OUTPUT_ARRAY, HTTP(GET, "campaigns", RIGHTS_ALL));
OPERATION(campaign_show, "campaign show", "CAMPAIGN", "show a campaign and its settings", run_campaign_show,
    .subject = &subject_campaign, HTTP(GET, "campaigns/{campaign}", RIGHT_STATS | RIGHT_MANAGE), .versioned = true);
OPERATION(campaign_set, "campaign set", "CAMPAIGN SETTING=VALUE... [--queue]", "change settings of a campaign",
    run_campaign_set, .subject = &subject_campaign, PARAMETERS(set_parameters, bool), .settings = &settings_table,
    HTTP(PATCH, "campaigns/{campaign}", RIGHT_MANAGE), .effect = CHANGES, .versioned = true,
    .shown_by = &operation_campaign_show);
OPERATION(campaign_end, "campaign end", "CAMPAIGN", "accept no more leads", run_campaign_end, .variant = true,
    .subject = &subject_campaign, HTTP(POST, "campaigns/{campaign}/end", RIGHT_MANAGE), .effect = CHANGES, .versioned = true,
    .shown_by = &operation_campaign_show, .shows_result = true);
OPERATION(campaign_reopen, "campaign reopen", "CAMPAIGN", "accept leads again", run_campaign_end, .variant = false,
    .subject = &subject_campaign, HTTP(POST, "campaigns/{campaign}/reopen", RIGHT_MANAGE), .effect = CHANGES, .versioned = true,
    .shown_by = &operation_campaign_show, .shows_result = true);
