/* SPDX-License-Identifier: MIT */
#include "engine/decide/fraud.h"

#include "base/panic.h"
#include "engine/decide/referral.h"
#include "engine/visitors.h"
#include "identity/email.h"
#include "identity/link.h"
#include "json/reader.h"
#include "json/writer.h"

/* Maximum number of a lead's flags; further reasons are not stored. */
enum { FLAGS_MAX = 16, FLAGS_MAX_BYTES = 16 * 1024 };

#define UNPROVEN SLICE("unproven")
#define DUPLICATE_IP SLICE("duplicate_ip")
#define BLOCKED_REFERRER SLICE("blocked_referrer")
#define MANUAL SLICE("manual")
#define OWN_REFERRAL SLICE("own_referral")
#define BLOCKED_DOMAIN SLICE("blocked_email_domain")
#define DISPOSABLE SLICE("disposable_email")
/* Flags that end without an operator: the first two are about the first sign-up and not about the lead, the third ends when the
 * lead is confirmed, the others when its email address changes. */
static const struct slice passing_flags[] = { DUPLICATE_IP, BLOCKED_REFERRER, UNPROVEN, BLOCKED_DOMAIN, DISPOSABLE,
	OWN_REFERRAL };
static const struct slice address_flags[] = { BLOCKED_DOMAIN, DISPOSABLE, OWN_REFERRAL };

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

/* Number of the campaign's leads from the network of this address: the loaded count, and the changes in the batch so far. */
static int64_t
leads_from(const struct step *step, struct slice address)
{
	const struct decision *d = step->decision;
	const struct slice ip = ip_caller_network(step->pool, address);
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
is_in_network(struct slice ip, const struct network_list *networks)
{
	struct ip_address address;
	return ip_address_parse(ip, &address) && network_list_contains(networks, &address);
}

/* The rights of a key. The URL of an inbound webhook has rights, too, but passes on what visitors type, so here it has none. */
static rights
rights_of_key(const struct step *step, const struct signup *signup)
{
	return signup->inbound ? RIGHTS_NONE : step->command->rights;
}

/* Whether a server signs up its visitors: then the network address may be the server's. */
static bool
is_by_server(const struct step *step, const struct signup *signup)
{
	return rights_of_key(step, signup) != RIGHTS_NONE && slice_equal(signup->source, SLICE("API"));
}

static bool
is_duplicate_ip(const struct step *step, struct slice ip, int64_t other_leads)
{
	const struct campaign *campaign = &step->campaign->campaign;
	return campaign_judges_addresses(campaign) && slice_present(ip) && other_leads >= (int64_t)campaign->max_per_ip &&
	       !is_in_network(ip, &step->campaign->lists->allowed_networks);
}

static bool
is_blocked_referrer(const struct step *step, struct slice referrer)
{
	return host_list_contains(&step->campaign->lists->blocked_referrers, link_host(step->pool, referrer));
}

/* Whether mail to this mailbox, or a text to this number, reaches the lead. */
static bool
is_same_person(struct pool *pool, const struct lead *lead, struct slice mailbox, struct slice phone)
{
	if (slice_present(phone) && slice_equal(lead->phone, phone))
		return true;
	return slice_present(lead->email_key) && slice_present(mailbox) &&
	       slice_equal(email_mailbox(pool, lead->email_key), mailbox);
}

/* The ancestor at a level. `lead` is NULL for a lead that is not stored yet; then it is found by its referrer, which may be
 * NULL. */
static const struct working_lead *
lead_above(const struct step *step, const struct working_lead *lead, const struct working_lead *referrer, unsigned level)
{
	if (lead != NULL)
		return step_find_ancestor(step, lead, level);
	return referrer == NULL || level == 1 ? referrer : step_find_ancestor(step, referrer, level - 1);
}

/* Whether these are the addresses of the lead's referrer, or of a lead further up the chain. */
static bool
is_own_referral(const struct step *step, const struct working_lead *lead, const struct working_lead *referrer,
    struct slice email_key, struct slice phone)
{
	const struct working_lead *above;
	const bool is_referred = lead_above(step, lead, referrer, 1) != NULL;
	const struct slice mailbox =
	    is_referred && slice_present(email_key) ? email_mailbox(step->pool, email_key) : SLICE_NONE;
	for (unsigned level = 1; level <= REFERRAL_LEVELS && (above = lead_above(step, lead, referrer, level)) != NULL; level++)
		if (is_same_person(step->pool, &above->lead, mailbox, phone))
			return true;
	return false;
}

static void
add_address_flags(const struct step *step, struct slice email_key, struct flags *flags)
{
	const struct host_list *disposable = step->id_supply->disposable_domains;
	const struct slice domain = slice_sub(email_key, slice_find_last(email_key, '@') + 1, email_key.size);
	if (host_list_contains(&step->campaign->lists->blocked_email_domains, domain))
		add_flag(flags, BLOCKED_DOMAIN);
	if (disposable != NULL && host_list_contains(disposable, domain))
		add_flag(flags, DISPOSABLE);
}

/* The number as the caller sent it, even if it was left out because it belongs to another lead: that may be the referrer. */
static struct slice
typed_number(const struct step *step)
{
	const struct command *command = step->command;
	return command->kind == COMMAND_TAGGING ? command->as.tagging.signup.phone : command->as.signup.phone;
}

struct slice
step_fraud_flags(struct step *step, const struct signup *signup, const struct lead *lead, const struct working_lead *referrer)
{
	struct flags flags = { .pool = step->pool };
	if (!is_by_server(step, signup) && is_duplicate_ip(step, lead->ip, leads_from(step, lead->ip)))
		add_flag(&flags, DUPLICATE_IP);
	add_address_flags(step, lead->email_key, &flags);
	if (is_blocked_referrer(step, lead->referrer))
		add_flag(&flags, BLOCKED_REFERRER);
	if (signup->unproven)
		add_flag(&flags, UNPROVEN);
	if (is_own_referral(step, NULL, referrer, lead->email_key, typed_number(step)))
		add_flag(&flags, OWN_REFERRAL);
	return write_flags(&flags);
}

static void
note_announced(struct step *step, struct working_lead *lead)
{
	if (lead->lead.announced)
		return;
	lead->lead.announced = true;
	step_note(step, EVENT_NEW_SIGNUP_NOT_EXCLUDED, lead, SLICE_NONE);
}

/* If the lead becomes fraudulent, its referral and the credit for it are taken back. If it no longer is, the caller updates the
 * referral. */
static void
set_flags(struct step *step, struct working_lead *lead, const struct flags *flags)
{
	const bool was_fraudulent = lead->lead.fraudulent;
	step_touch(step, lead);
	lead->lead.fraud_flags = write_flags(flags);
	lead->lead.fraudulent = flags->count > 0;
	lead->lead.marked_ms = step->set->now_ms;
	lead->lead.marked_by = step->command->kind == COMMAND_CHANGE ? step->command->as.change.made_by : SLICE_NONE;
	if (lead->lead.fraudulent && !was_fraudulent)
		step_take_back_referral(step, lead, UP_TO_DELETED);
	else if (!lead->lead.fraudulent)
		note_announced(step, lead);
}

void
step_block(struct step *step, struct working_lead *lead, struct slice reason)
{
	struct flags flags = read_flags(step->pool, lead->lead.fraud_flags);
	if (!slice_present(reason) || slice_is_one_of(reason, passing_flags, ARRAY_SIZE(passing_flags)))
		add_flag(&flags, MANUAL);
	if (slice_present(reason))
		add_flag(&flags, reason);
	set_flags(step, lead, &flags);
}

/* Likewise, and then restores the referral of a lead that is no longer fraudulent. */
static void
change_flags(struct step *step, struct working_lead *lead, const struct flags *flags)
{
	const bool was_fraudulent = lead->lead.fraudulent;
	set_flags(step, lead, flags);
	if (was_fraudulent && !lead->lead.fraudulent)
		step_update_referral(step, lead, SCORE_APPROVE);
}

void
step_approve(struct step *step, struct working_lead *lead)
{
	const struct flags none = { .pool = step->pool };
	if (lead->lead.fraudulent)
		change_flags(step, lead, &none);
}

/* Sets *flags to the lead's flags without the given ones. Returns whether it has any of those. */
static bool
flags_without(
    const struct step *step, const struct working_lead *lead, const struct slice *names, size_t count, struct flags *flags)
{
	const struct flags all = read_flags(step->pool, lead->lead.fraud_flags);
	*flags = (struct flags){ .pool = step->pool };
	for (size_t i = 0; i < all.count; i++)
		if (!slice_is_one_of(all.names[i], names, count))
			flags->names[flags->count++] = all.names[i];
	return flags->count < all.count;
}

/* Removes these flags; if no others are left, the lead is no longer fraudulent. Returns whether it had any. */
static bool
remove_flags(struct step *step, struct working_lead *lead, const struct slice *names, size_t count)
{
	struct flags flags;
	const bool had = flags_without(step, lead, names, count, &flags);
	if (had)
		set_flags(step, lead, &flags);
	return had;
}

void
step_judge_address(struct step *step, struct working_lead *lead)
{
	struct flags flags;
	const bool had = flags_without(step, lead, address_flags, ARRAY_SIZE(address_flags), &flags);
	const size_t others = flags.count;
	add_address_flags(step, lead->lead.email_key, &flags);
	if (is_own_referral(step, lead, NULL, lead->lead.email_key, lead->lead.phone))
		add_flag(&flags, OWN_REFERRAL);
	if (had || flags.count > others) /* true for few addresses */
		change_flags(step, lead, &flags);
}

void
step_trust_address(struct step *step, struct working_lead *lead)
{
	struct flags flags;
	if (flags_without(step, lead, address_flags, ARRAY_SIZE(address_flags), &flags))
		change_flags(step, lead, &flags);
}

void
step_clear_unproven(struct step *step, struct working_lead *lead)
{
	(void)!remove_flags(step, lead, &UNPROVEN, 1);
}

/* Whether the caller could otherwise tell a new lead from an existing one by how many leads its network address may still sign
 * up (docs/api.md 4.1.11). */
static bool
hides_new_leads(const struct step *step, const struct signup *signup)
{
	const struct campaign *campaign = &step->campaign->campaign;
	return campaign_judges_addresses(campaign) && campaign_hides_unverified(campaign) &&
	       (rights_of_key(step, signup) & RIGHT_LEADS) == 0;
}

/* For a lead that is within the limit of its new network address. The flags that a new lead would get for this sign-up replace
 * `duplicate_ip`. Returns false if the lead keeps that flag, and so does not count for the address. */
static bool
exchange_duplicate_flag(struct step *step, struct working_lead *lead, const struct signup *signup)
{
	struct flags old = read_flags(step->pool, lead->lead.fraud_flags), flags = { .pool = step->pool };
	if (!slice_is_one_of(DUPLICATE_IP, old.names, old.count))
		return true;
	if (signup->unproven)
		add_flag(&flags, UNPROVEN);
	if (is_blocked_referrer(step, signup->referrer))
		add_flag(&flags, BLOCKED_REFERRER);
	if (flags.count == 0)
		return false;
	for (size_t i = 0; i < old.count; i++)
		if (!slice_equal(old.names[i], DUPLICATE_IP))
			add_flag(&flags, old.names[i]);
	step_touch(step, lead);
	lead->lead.fraud_flags = write_flags(&flags);
	return true;
}

void
step_judge_repeated_signup(struct step *step, struct working_lead *lead, const struct signup *signup)
{
	if (!slice_present(signup->ip) || !(lead->lead.fraudulent || hides_new_leads(step, signup)))
		return; /* nothing to do in most sign-ups */
	const bool is_direct = step->command->rights == RIGHTS_NONE && !signup->inbound;
	const bool is_by_visitor = is_direct || (signup->replace_ip && !is_by_server(step, signup));
	const bool has_referrer = is_direct || slice_present(signup->referrer);
	const bool is_counted = lead_counts_for_ip(&lead->lead) && slice_equal(ip_caller_network(step->pool, signup->ip),
								       ip_caller_network(step->pool, lead->lead.ip));
	const bool has_room = is_by_server(step, signup) ||
			      !is_duplicate_ip(step, signup->ip, leads_from(step, signup->ip) - (is_counted ? 1 : 0));
	const bool clears = has_room && lead->lead.fraudulent && is_by_visitor && !signup->unproven &&
			    !is_blocked_referrer(step, signup->referrer) &&
			    remove_flags(step, lead, passing_flags, has_referrer ? 2 : 1);
	const bool moves = has_room && hides_new_leads(step, signup) && exchange_duplicate_flag(step, lead, signup);
	if (!slice_equal(signup->ip, lead->lead.ip) && (clears || moves)) {
		step_touch(step, lead);
		lead->lead.ip = signup->ip;
	}
	if (clears)
		step_update_referral(step, lead, SCORE_REFERRAL);
}
