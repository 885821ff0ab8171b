/* SPDX-License-Identifier: MIT
 * Fraud flags: at sign-up, set and cleared later (docs/api.md 4.6). */

#include "base/panic.h"
#include "engine/decide/step.h"
#include "identity/link.h"
#include "json/reader.h"
#include "json/writer.h"

/* Maximum of flags of a lead; further reasons are not stored. */
enum { FLAGS_MAX = 16, FLAGS_MAX_BYTES = 16 * 1024 };

#define UNPROVEN SLICE("unproven")
#define DUPLICATE_IP SLICE("duplicate_ip")
#define BLOCKED_REFERRER SLICE("blocked_referrer")

struct flags {
	struct pool *pool;
	struct slice names[FLAGS_MAX];
	size_t count;
};

static void
add_flag(struct flags *flags, struct slice name)
{
	for (size_t i = 0; i < flags->count; i++)
		if (slice_equal(flags->names[i], name))
			return;
	if (flags->count < FLAGS_MAX)
		flags->names[flags->count++] = pool_copy(flags->pool, name);
}

static bool
on_json(void *context, const struct json_event *event)
{
	if (event->type == JSON_STRING)
		add_flag(context, event->text);
	return true;
}

static struct flags
read_flags(struct pool *pool, struct slice json)
{
	struct flags flags = { .pool = pool };
	struct json_problem problem;
	if (slice_present(json) && !json_read(json, 1, on_json, &flags, &problem))
		flags.count = 0; /* not a stored list of flags */
	return flags;
}

static struct slice
write_flags(const struct flags *flags)
{
	struct buffer out;
	struct json_writer writer;
	if (flags->count == 0)
		return SLICE_NONE;
	buffer_init(&out, FLAGS_MAX_BYTES);
	json_writer_init(&writer, &out);
	json_begin_array(&writer);
	for (size_t i = 0; i < flags->count; i++)
		json_string(&writer, flags->names[i]);
	json_end_array(&writer);
	if (!buffer_ok(&out))
		panic("flags beyond FLAGS_MAX_BYTES"); /* reasons are short */
	struct slice json = pool_copy(flags->pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

/* Leads of the campaign with this address: the loaded count, and the changes of the batch until now. */
static int64_t
leads_from(const struct step *step, struct slice ip)
{
	const struct decision *d = step->decision;
	uint64_t campaign_id = step->campaign->campaign.id;
	int64_t leads = 0;
	for (size_t i = 0; i < step->set->ip_count_count; i++)
		if (step->set->ip_counts[i].campaign_id == campaign_id && slice_equal(step->set->ip_counts[i].ip, ip))
			leads += step->set->ip_counts[i].leads;
	for (size_t i = 0; i < d->ip_move_count; i++)
		if (d->ip_moves[i].campaign_id == campaign_id && slice_equal(d->ip_moves[i].ip, ip))
			leads += d->ip_moves[i].leads;
	return leads;
}

static bool
is_allowed(struct slice ip, const struct network_list *networks)
{
	struct ip_address address;
	return ip_address_parse(ip, &address) && network_list_contains(networks, &address);
}

static bool
is_duplicate_ip(const struct step *step, const struct lead *lead)
{
	const struct campaign *campaign = &step->campaign->campaign;
	bool by_server = step->command->rights != RIGHTS_NONE && slice_equal(lead->source, SLICE("API"));
	return campaign_judges_addresses(campaign) && slice_present(lead->ip) && !by_server &&
	       leads_from(step, lead->ip) + 1 > (int64_t)campaign->max_per_ip &&
	       !is_allowed(lead->ip, &step->campaign->lists->allowed_networks);
}

struct slice
step_fraud_flags(struct step *step, const struct lead *lead, bool unproven)
{
	const struct campaign_lists *lists = step->campaign->lists;
	const struct host_list *disposable = step->id_supply->disposable_domains;
	struct flags flags = { .pool = step->pool };
	struct slice domain = slice_sub(lead->email_key, slice_find_last(lead->email_key, '@') + 1, lead->email_key.size);
	if (is_duplicate_ip(step, lead))
		add_flag(&flags, DUPLICATE_IP);
	if (host_list_contains(&lists->blocked_email_domains, domain))
		add_flag(&flags, SLICE("blocked_email_domain"));
	if (disposable != NULL && host_list_contains(disposable, domain))
		add_flag(&flags, SLICE("disposable_email"));
	if (host_list_contains(&lists->blocked_referrers, link_host(step->pool, lead->referrer)))
		add_flag(&flags, BLOCKED_REFERRER);
	if (unproven)
		add_flag(&flags, UNPROVEN);
	return write_flags(&flags);
}

void
step_block(struct step *step, struct working_lead *lead, struct slice reason)
{
	struct flags flags = read_flags(step->pool, lead->lead.fraud_flags);
	step_touch(step, lead);
	add_flag(&flags, slice_present(reason) ? reason : SLICE("manual"));
	lead->lead.fraud_flags = write_flags(&flags);
	if (lead->lead.fraudulent)
		return;
	lead->lead.fraudulent = true;
	lead->lead.times_flagged++;
	step_update_referral(step, lead, SCORE_FRAUD);
}

static void
announce(struct step *step, struct working_lead *lead)
{
	if (lead->lead.announced)
		return;
	lead->lead.announced = true;
	step_note(step, EVENT_NEW_SIGNUP_NOT_EXCLUDED, lead, SLICE_NONE);
}

void
step_approve(struct step *step, struct working_lead *lead)
{
	if (!lead->lead.fraudulent)
		return;
	step_touch(step, lead);
	lead->lead.fraudulent = false;
	lead->lead.fraud_flags = SLICE_NONE;
	step_update_referral(step, lead, SCORE_APPROVE);
	announce(step, lead);
}

bool
step_is_unproven(const struct working_lead *lead)
{
	return lead_is_unproven(&lead->lead);
}

/* Removes these flags. Without others the lead is not fraudulent any more; returns whether there were any. */
static bool
remove_flags(struct step *step, struct working_lead *lead, const struct slice *names, size_t count)
{
	struct flags flags = read_flags(step->pool, lead->lead.fraud_flags);
	size_t left = 0;
	for (size_t i = 0; i < flags.count; i++)
		if (!slice_is_one_of(flags.names[i], names, count))
			flags.names[left++] = flags.names[i];
	if (left == flags.count)
		return false;
	flags.count = left;
	step_touch(step, lead);
	lead->lead.fraud_flags = write_flags(&flags);
	lead->lead.fraudulent = left > 0;
	if (left == 0)
		announce(step, lead);
	return true;
}

void
step_clear_unproven(struct step *step, struct working_lead *lead)
{
	(void)!remove_flags(step, lead, &UNPROVEN, 1);
}

/* Of the sign-up, not of the lead: another one may come from elsewhere. */
static const struct slice flags_of_signups[] = { DUPLICATE_IP, BLOCKED_REFERRER };

static bool
has_flags_of_signup(const struct step *step, struct slice json)
{
	const struct flags flags = read_flags(step->pool, json);
	for (size_t i = 0; i < flags.count; i++)
		if (slice_is_one_of(flags.names[i], flags_of_signups, ARRAY_SIZE(flags_of_signups)))
			return true;
	return false;
}

/* The lead is then one of the address of this sign-up, which is counted there. */
void
step_judge_again(struct step *step, struct working_lead *lead, const struct signup *signup)
{
	struct lead judged = lead->lead;
	judged.ip = signup->ip;
	judged.referrer = signup->referrer;
	judged.source = signup->source;
	if (signup->unproven || !has_flags_of_signup(step, lead->lead.fraud_flags) ||
	    has_flags_of_signup(step, step_fraud_flags(step, &judged, false)))
		return;
	step_touch(step, lead);
	if (slice_present(signup->ip))
		lead->lead.ip = signup->ip;
	(void)!remove_flags(step, lead, flags_of_signups, ARRAY_SIZE(flags_of_signups));
	step_update_referral(step, lead, SCORE_REFERRAL);
}
