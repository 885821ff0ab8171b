/* SPDX-License-Identifier: MIT
 * Campaigns and their settings. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sysexits.h>

#include "admin/jobs/job_operations.h"
#include "admin/operations.h"
#include "bots/difficulty.h"
#include "engine/message.h"
#include "engine/strangers.h"
#include "operation/value_types.h"
#include "store/operator/admin.h"

#define PLACE(member) offsetof(struct campaign_settings, member)
static const char points[] = "a whole number from 0 to 99999", yes_or_no[] = "yes or no",
		  url[] = "a web address that begins with https:// or http://, or nothing",
		  hosts[] = "at most 5000 host names without scheme and path, separated by commas or spaces, or nothing";

static const struct value_setting setting_table[] = {
	{ "name", value_name, PLACE(name), "1 to 200 characters" },
	{ "state", value_state, PLACE(request), "active or ended" },
	{ "ends_at", value_end, PLACE(ends_ms), "a date such as 2026-11-28, a time such as 2026-11-28T18:00:00Z, or nothing" },
	{ "jump_start", value_count, PLACE(jump_start), "a whole number from 0 to 4 billion" },
	{ "privacy", value_switch, PLACE(privacy), yes_or_no },
	{ "require_key", value_switch, PLACE(require_key), yes_or_no },
	{ "compat", value_switch, PLACE(compat), yes_or_no },
	{ "landing_url", value_url, PLACE(landing_url), url },
	{ "thankyou_url", value_url, PLACE(thankyou_url), url },
	{ "status_url", value_url, PLACE(status_url), url },
	{ "points_signup", value_points, PLACE(points_signup), points },
	{ "points_direct", value_points, PLACE(points_direct), points },
	{ "points_indirect", value_points, PLACE(points_indirect), points },
	{ "points_verified", value_points, PLACE(points_verified), points },
	{ "require_verification", value_switch, PLACE(require_verification), yes_or_no },
	{ "waitlist", value_switch, PLACE(waitlist), yes_or_no },
	{ "max_per_ip", value_count, PLACE(max_per_ip), "a whole number, 0 for no limit" },
	{ "blocked_email_domains", value_hosts, PLACE(blocked_email_domains), hosts },
	{ "blocked_referrers", value_hosts, PLACE(blocked_referrers), hosts },
	{ "allowed_networks", value_networks, PLACE(allowed_networks),
	    "at most 5000 addresses and networks, separated by commas or spaces, or nothing" },
	{ "pages", value_switch, PLACE(pages), yes_or_no },
	{ "language", value_language, PLACE(language), "auto, en, de, es or fr" },
	{ "hosts", value_hosts, PLACE(hosts), hosts },
	{ "hosts_only", value_switch, PLACE(hosts_only), yes_or_no },
	{ "form_answer", value_form_answer, PLACE(form_answer), "auto, json or redirect" },
	{ "public_lookup", value_public_lookup, PLACE(public_lookup), "all, social_id, own or none" },
	{ "public_update", value_public_update, PLACE(public_update), "all, own or none" },
	{ "leaderboard_names", value_leaderboard_names, PLACE(leaderboard_names), "initial, first or full" },
	{ "mails", value_mails, PLACE(mails),
	    "welcome, reward, referral or status_link, several with commas or spaces, or nothing" },
	{ "verify_email", value_switch, PLACE(verify_email), yes_or_no },
	{ "verify_phone", value_switch, PLACE(verify_phone), yes_or_no },
	{ "bots", value_bots, PLACE(bots), "off, honeypot, proof or proof_or_confirm" },
	{ "bot_difficulty", value_difficulty, PLACE(bot_difficulty), "a number from 1 to 8" },
};
const struct value_settings admin_campaign_settings = { setting_table, ARRAY_SIZE(setting_table), "a campaign", 0 };

/* What callers without a key see of leads, and change, is decided by callers that may do so themselves. Where leads are
 * protected, mails and codes keep the answer to a sign-up from showing which leads exist. */
static const struct {
	const char *setting;
	enum right right;
	bool where_protected; /* only there */
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

/* Of the settings from this operand on, of a campaign with this `public_lookup`. Reports one that the caller may not change and
 * returns a status, else EX_OK. */
static int
check_rights(struct admin_call *call, size_t first, uint32_t public_lookup)
{
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++) {
		size_t count;
		if (guarded[i].where_protected && public_lookup == PUBLIC_LOOKUP_ALL)
			continue;
		if (values_have(call, first, guarded[i].setting) && !caller_has_right(call->caller, guarded[i].right))
			return admin_fail(call, PROBLEM_FORBIDDEN, "%s needs the right %.*s, too", guarded[i].setting,
			    SLICE_ARGS(rights_words(call->pool, (rights)guarded[i].right, &count)[0]));
	}
	return EX_OK;
}

static bool
edit_settings(void *context, struct campaign_settings *settings)
{
	return check_rights(context, 1, settings->public_lookup) == EX_OK && values_apply(context, 1, settings);
}

static const struct value_option id_options[] = {
	{ OPTION_ID, value_campaign_id, 0, "a number from 1 to 34359738367" },
};

/* What a caller without a key gets for the address of a lead: the lead, a mail to that address, or nothing. */
static void
add_repeated_signup(struct admin_call *call, uint32_t public_lookup, uint32_t mails)
{
	const struct campaign campaign = { .public_lookup = public_lookup, .mails = mails };
	const bool is_mailed = store_sends_mail(call->store) && campaign_mails_known_leads(&campaign);
	const struct slice unseen = is_mailed ? SLICE("mail") : SLICE("nothing");
	output_text(
	    call->output, "repeated_signup", stranger_may_see(&campaign, LEAD_BY_EMAIL, false) ? SLICE("lead") : unseen);
}

static int
answer_added(struct admin_call *call, enum result result, uint64_t id, const struct campaign_settings *settings)
{
	const int status = admin_answer_id(call, result, id);
	if (status == EX_OK) {
		output_text(call->output, "name", settings->name);
		add_repeated_signup(call, settings->public_lookup, settings->mails);
	}
	return status;
}

static int
add_with_id(struct admin_call *call, const struct campaign_settings *settings, uint64_t id)
{
	struct id_verdict verdict;
	enum result result = store_add_campaign_as(call->store, call->id, settings, id, &verdict);
	if (result != RESULT_INVALID)
		return answer_added(call, result, id, settings);
	if (verdict.is_taken)
		return admin_fail(call, PROBLEM_CONFLICT,
		    "there is a campaign with the id %" PRIu64 " already, or its rows are still being deleted", id);
	return admin_fail(call, PROBLEM_INVALID,
	    "%" PRIu64 " is not an id of this cluster (cluster.number): its campaigns have ids from %" PRIu64 " to %" PRIu64,
	    id, verdict.first, verdict.last);
}

/* Clients without a key may see and change all that the interface allows. A campaign that keeps the id of another service has
 * leads that know no mail of ours. */
static struct campaign_settings
new_campaign(struct slice name, bool moves_in)
{
	return (struct campaign_settings){
		.name = name,
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

int
admin_campaign_add(struct admin_call *call)
{
	uint64_t id = 0; /* that of --id */
	if (!values_take(call, id_options, ARRAY_SIZE(id_options), &id))
		return EX_DATAERR;
	const int status = check_rights(call, 2, PUBLIC_LOOKUP_ALL);
	if (status != EX_OK)
		return status;
	struct campaign_settings settings = new_campaign(slice_of(call->operands[1]), id != 0);
	if (!admin_name(call, settings.name) || !values_apply(call, 2, &settings))
		return EX_DATAERR;
	if (id != 0)
		return add_with_id(call, &settings, id);
	enum result result = store_add_campaign(
	    call->store, call->id, &settings, admin_maximum(call, call->conf->limits.campaigns_per_account), &id);
	if (result == RESULT_TOO_MANY)
		return admin_fail(call, PROBLEM_CONFLICT, ADMIN_TOO_MANY("campaigns"));
	return answer_added(call, result, id, &settings);
}

/* The fields of GET /v2/campaigns (docs/api.md 4.1), and the account. */
static void
add_summary(struct admin_call *call, const struct campaign *campaign, int64_t now_ms)
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
admin_find_campaigns(
    struct admin_call *call, struct list_part part, struct campaign **campaigns, size_t *count, int64_t *now_ms)
{
	const uint64_t account_id = call->id != 0 ? call->id : caller_account(call->caller);
	size_t all = 0;
	*count = 0;
	enum result result = call->id == 0 ? RESULT_OK : store_find_account(call->store, call->id);
	if (result == RESULT_OK)
		result = store_list_campaigns(call->store, call->pool, account_id, part, campaigns, &all, now_ms);
	if (result == RESULT_OK && all > 0)
		admin_end_part(call, part, all, (*campaigns)[all - 1].id);
	for (size_t i = 0; result == RESULT_OK && i < all; i++)
		if (caller_sees(call->caller, (*campaigns)[i].account_id, (*campaigns)[i].id))
			(*campaigns)[(*count)++] = (*campaigns)[i];
	return result;
}

int
admin_campaign_list(struct admin_call *call)
{
	struct campaign *campaigns;
	struct list_part part;
	size_t count;
	int64_t now_ms;
	if (!values_take_large_part(call, &part))
		return EX_DATAERR;
	const enum result result = admin_find_campaigns(call, part, &campaigns, &count, &now_ms);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < count; i++)
		add_summary(call, &campaigns[i], now_ms);
	return EX_OK;
}

/* A number of a later version has no word. */
static void
add_choice(struct output *output, const char *name, const struct slice *words, size_t count, uint32_t choice)
{
	output_text(output, name, choice < count ? words[choice] : SLICE_NONE);
}

static void
add_mails(struct output *output, struct pool *pool, uint32_t mails)
{
	struct slice *names = POOL_ARRAY(pool, MESSAGE_KINDS, struct slice);
	size_t count = 0;
	for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++)
		if ((mails & MESSAGE_BIT(kind)) != 0)
			names[count++] = message_kind_name((enum message_kind)kind);
	output_texts(output, "mails", names, count);
}

static void
add_page_settings(struct output *output, struct pool *pool, const struct campaign *campaign)
{
	output_boolean(output, "pages", campaign->pages);
	output_text(output, "language", slice_present(campaign->language) ? campaign->language : SLICE("auto"));
	output_text(output, "hosts", campaign->hosts);
	output_boolean(output, "hosts_only", campaign->hosts_only);
	add_choice(output, "form_answer", form_answer_names, FORM_ANSWERS, campaign->form_answer);
	add_choice(output, "public_lookup", public_lookup_names, PUBLIC_LOOKUPS, campaign->public_lookup);
	add_choice(output, "public_update", public_update_names, PUBLIC_UPDATES, campaign->public_update);
	add_choice(output, "leaderboard_names", leaderboard_names, LEADERBOARD_NAMES, campaign->leaderboard_names);
	add_mails(output, pool, campaign->mails);
	output_boolean(output, "verify_email", campaign->verify_email);
	output_boolean(output, "verify_phone", campaign->verify_phone);
	add_choice(output, "bots", campaign_bots_names, CAMPAIGN_BOTS, campaign->bots);
	output_u64(output, "bot_difficulty", campaign->bot_difficulty);
}

int
admin_campaign_show(struct admin_call *call)
{
	struct campaign campaign;
	int64_t now_ms;
	enum result result = store_find_campaign(call->store, call->pool, call->id, &campaign, &now_ms);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	add_summary(call, &campaign, now_ms);
	output_time(call->output, "ended_at", campaign.ended_ms);
	output_time(call->output, "ends_at", campaign.ends_ms);
	output_u64(call->output, "jump_start", campaign.jump_start);
	output_boolean(call->output, "privacy", campaign.privacy);
	output_boolean(call->output, "require_key", campaign.require_key);
	output_boolean(call->output, "compat", campaign.compat);
	output_text(call->output, "landing_url", campaign.landing_url);
	output_text(call->output, "thankyou_url", campaign.thankyou_url);
	output_text(call->output, "status_url", campaign.status_url);
	output_u64(call->output, "points_signup", campaign.points_signup);
	output_u64(call->output, "points_direct", campaign.points_direct);
	output_u64(call->output, "points_indirect", campaign.points_indirect);
	output_u64(call->output, "points_verified", campaign.points_verified);
	output_boolean(call->output, "require_verification", campaign.require_verification);
	output_boolean(call->output, "waitlist", campaign.waitlist);
	output_u64(call->output, "max_per_ip", campaign.max_per_ip);
	if (campaign.max_per_ip == 0)
		output_text(call->output, "addresses_counted", SLICE_NONE);
	else
		output_boolean(call->output, "addresses_counted", campaign_judges_addresses(&campaign));
	output_text(call->output, "blocked_email_domains", campaign.blocked_email_domains);
	output_text(call->output, "blocked_referrers", campaign.blocked_referrers);
	output_text(call->output, "allowed_networks", campaign.allowed_networks);
	add_page_settings(call->output, call->pool, &campaign);
	add_repeated_signup(call, campaign.public_lookup, campaign.mails);
	return EX_OK;
}

/* May take long with many leads. An interrupted run has counted a part of them. */
static enum result
count_addresses(struct admin_call *call)
{
	enum result result = RESULT_OK;
	for (bool done = false; result == RESULT_OK && !done;)
		result = store_count_addresses(call->store, call->id, &done);
	return result;
}

/* A remote caller finds the job in the list of the campaign. */
static int
set_and_queue(struct admin_call *call)
{
	uint64_t job_id;
	const enum result result =
	    store_edit_campaign_and_queue(call->store, call->id, edit_settings, call, admin_made_by(call), &job_id);
	if (result == RESULT_INVALID)
		return EX_DATAERR; /* already reported */
	return result == RESULT_OK && (job_id == 0 || call->is_remote) ? admin_campaign_show(call)
								       : admin_answer_job(call, result, job_id);
}

int
admin_campaign_set(struct admin_call *call)
{
	const bool counts = values_have(call, 1, "max_per_ip");
	if (call->options[OPTION_QUEUE] != NULL && !counts)
		return admin_fail_option(call, PROBLEM_USAGE, OPTION_QUEUE, "only with max_per_ip");
	if (counts && admin_queues(call))
		return set_and_queue(call);
	enum result result = store_edit_campaign(call->store, call->id, edit_settings, call);
	if (result == RESULT_INVALID)
		return EX_DATAERR; /* already reported */
	if (result == RESULT_OK && counts)
		result = count_addresses(call);
	return result == RESULT_OK ? admin_campaign_show(call) : admin_answer(call, result);
}

/* The variant: whether to end it, else it is reopened. */
int
admin_campaign_end(struct admin_call *call)
{
	enum result result = store_end_campaign(call->store, call->id, call->command->variant);
	return result == RESULT_OK ? admin_campaign_show(call) : admin_answer(call, result);
}
