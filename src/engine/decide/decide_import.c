/* SPDX-License-Identifier: MIT */
#include "engine/decide/decide_import.h"

#include <inttypes.h>

#include "base/duration.h"
#include "engine/decide/referral.h"
#include "engine/decide/score.h"
#include "engine/id_list.h"
#include "engine/source.h"

enum { CLOCK_TOLERANCE_MS = DAY_MS };

static void
refuse(struct step *step, struct slice reason)
{
	step_fail(step, FAILURE_CONFLICTING_IDENTIFIERS, reason);
}

/* Whether a lead of another campaign has this social id, which is unique in the installation. */
static bool
is_in_other_campaign(const struct step *step, struct slice social_id)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = social_id };
	for (size_t i = 0; i < step->set->lead_count; i++) {
		const struct working_lead *lead = step->set->leads[i];
		if (!lead->gone && lead->lead.campaign_id != step->command->campaign_id &&
		    lead_is_named(&lead->lead, &reference))
			return true;
	}
	return false;
}

/* Whether both are given and differ. */
static bool
differ(struct slice a, struct slice b)
{
	return slice_present(a) && slice_present(b) && !slice_equal(a, b);
}

/* Sets *match to the lead that has the identities of the row; NULL: a new one. Returns false when the row is refused because
 * its identities belong to several leads, or because the matching lead has different ones. */
static bool
match_lead(struct step *step, const struct signup *row, struct working_lead **match)
{
	static const char *const names[] = { "social_id", "email", "phone_number" };
	struct working_lead *const found[] = { step_find_value(step, LEAD_BY_SOCIAL_ID, row->subject),
		step_find_value(step, LEAD_BY_EMAIL, row->email_key), step_find_value(step, LEAD_BY_PHONE, row->phone) };
	*match = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
		if (found[i] == NULL)
			continue;
		const struct lead *lead = &found[i]->lead;
		if (differ(row->subject, lead->social_id) || differ(row->email_key, lead->email_key) ||
		    differ(row->phone, lead->phone) || (*match != NULL && *match != found[i])) {
			refuse(step, step_has_right(step, RIGHT_LEADS)
					 ? pool_printf(step->pool, "%s is that of another lead, with social_id %.*s", names[i],
					       SLICE_ARGS(lead->social_id))
					 : pool_printf(step->pool, "%s is that of another lead", names[i]));
			return false;
		}
		*match = found[i];
	}
	if (*match != NULL || !is_in_other_campaign(step, row->subject))
		return true;
	refuse(step, SLICE("social_id is that of a lead in another campaign"));
	return false;
}

static bool
is_taken(const struct step *step, uint32_t number)
{
	const struct working_set *set = step->set;
	const uint64_t campaign_id = step->command->campaign_id;
	for (size_t i = 0; i < set->taken_number_count; i++)
		if (set->taken_numbers[i].campaign_id == campaign_id && set->taken_numbers[i].number == number)
			return true;
	for (size_t i = set->lead_count; i > 0; i--)
		if (set->leads[i - 1]->change == ROW_CREATED && set->leads[i - 1]->lead.campaign_id == campaign_id &&
		    set->leads[i - 1]->lead.subscription_number == number)
			return true;
	return false;
}

/* Sets *referrer, NULL for none. Returns false when the row is refused. */
static bool
find_referrer(struct step *step, const struct import *import, struct working_lead **referrer)
{
	const bool by_email = slice_present(import->referrer_email);
	const struct slice value = by_email ? import->referrer_email : import->signup.referrer_id;
	*referrer = slice_present(value) ? step_find_value(step, by_email ? LEAD_BY_EMAIL : LEAD_BY_SOCIAL_ID, value) : NULL;
	if (*referrer != NULL || !slice_present(value) || import->drop_unknown_referrer)
		return true;
	step_fail(step, FAILURE_LEAD_NOT_FOUND, SLICE("its referrer is not a lead of the campaign"));
	return false;
}

/* Takes the number of the row, or the next one. Later sign-ups continue after the largest number of all rows. */
static bool
take_number(struct step *step, const struct import *import, uint32_t *number)
{
	struct campaign *campaign = &step->campaign->campaign;
	if (import->number != 0 && is_taken(step, import->number)) {
		refuse(
		    step, pool_printf(step->pool, "subscription_number %" PRIu32 " is taken by another lead", import->number));
		return false;
	}
	if (campaign->last_subscription_number < import->last_number)
		campaign->last_subscription_number = import->last_number;
	if (campaign->last_subscription_number < import->number)
		campaign->last_subscription_number = import->number;
	*number = import->number != 0 ? import->number : ++campaign->last_subscription_number;
	return true;
}

static struct lead
lead_from_import(
    struct step *step, const struct import *import, const struct stored_fields *fields, const struct working_lead *referrer)
{
	const struct signup *row = &import->signup;
	struct lead lead = {
		.id = step_take_lead_id(step),
		.campaign_id = step->command->campaign_id,
		.counter = 1,
		.social_id = slice_present(row->subject) ? row->subject : step->social_id,
		.token_epoch = slice_present(row->subject) ? 1 : 0, /* the social id may have belonged to a deleted lead */
		.parent_id = referrer == NULL ? 0 : referrer->lead.id,
		.parent_social_id = referrer == NULL ? SLICE_NONE : referrer->lead.social_id,
		.email = row->email,
		.email_key = row->email_key,
		.phone = row->phone,
		.verified_email = import->verified_email && slice_present(row->email_key),
		.verified_phone = import->verified_phone && slice_present(row->phone),
		.claimed = slice_present(row->email_key) && slice_present(row->phone) ? import->claimed : CLAIM_NONE,
		.waitlisted = import->waitlisted < 0 ? step->campaign->campaign.waitlist : import->waitlisted > 0,
		.opted_out = import->opted_out,
		.sms_opted_out = import->sms_opted_out,
		.custom_fields = fields->json,
		.keyed_fields = (uint32_t)fields->keyed,
		.utm = row->utm,
		.uid = row->uid,
		.ip = row->ip,
		.user_agent = row->user_agent,
		.language = row->language,
		.referrer = row->referrer,
		.source = row->source,
		.source_id = row->source_id,
		.source_class = SOURCE_IMPORT,
		.signup_url = row->signup_url,
		.fraudulent = import->fraudulent,
		.fraud_flags = import->fraudulent ? SLICE("[\"import\"]") : SLICE_NONE,
		.times_flagged = import->fraudulent ? 1 : 0,
		.marked_ms = import->fraudulent ? step->set->now_ms : 0,
		.announced = !import->fraudulent,
		.tag_ids = import->has_score ? import->tag_ids : SLICE_NONE,
		.action_ids = import->has_score ? import->action_ids : SLICE_NONE,
		.created_ms = import->created_ms < 0 ? step->set->now_ms : import->created_ms,
	};
	/* no one else has its token */
	lead.proven = (lead.verified_email && !lead_claims(&lead, CHANNEL_EMAIL) ? CHANNEL_BIT(CHANNEL_EMAIL) : 0) |
		      (lead.verified_phone && !lead_claims(&lead, CHANNEL_PHONE) ? CHANNEL_BIT(CHANNEL_PHONE) : 0);
	if (slice_present(row->email_key))
		lead.email_hash = lead_email_hash(step->pool, lead.campaign_id, row->email_key);
	if (slice_present(row->phone))
		lead.phone_hash = lead_phone_hash(step->pool, lead.campaign_id, row->phone);
	return lead;
}

/* For rows without a score: tags and actions earn the same points as for all leads. */
static void
add_definitions(struct step *step, const struct import *import, struct working_lead *lead)
{
	const struct definitions *definitions = step->campaign->definitions;
	struct slice rest = import->tag_ids;
	uint64_t id;
	while (id_list_next(&rest, &id))
		if (definitions_tag(definitions, id) != NULL)
			step_add_tag(step, lead, definitions_tag(definitions, id));
	rest = import->action_ids;
	while (id_list_next(&rest, &id))
		if (definitions_action(definitions, id) != NULL)
			step_complete_action(step, lead, definitions_action(definitions, id), SLICE_NONE);
}

/* A score of the row is the whole score, and the scores of its referrers include what they earned for it. */
static void
book(struct step *step, const struct import *import, struct working_lead *lead)
{
	const struct booking scored = {
		.reason = SCORE_CUSTOM, .ref = step_take_call_id(step), .points = import->score, .message = SLICE("import")
	};
	const struct booking signed_up = { .reason = SCORE_SIGNUP, .points = step->campaign->campaign.points_signup };
	step_book_points(step, lead, import->has_score ? &scored : &signed_up);
	step->books_no_credit = import->has_score;
	if (!import->has_score)
		add_definitions(step, import, lead);
}

static void
add_lead(struct step *step, const struct import *import, const struct stored_fields *fields)
{
	struct working_lead *referrer;
	uint32_t number;
	if (!find_referrer(step, import, &referrer) || !take_number(step, import, &number))
		return;
	struct lead made = lead_from_import(step, import, fields, referrer);
	made.subscription_number = number;
	struct working_lead *lead = step_add_lead(step, &made);
	step->outcome->created = true;
	step_note(step, EVENT_NEW_SIGNUP, lead, SLICE_NONE);
	if (lead->lead.announced)
		step_note(step, EVENT_NEW_SIGNUP_NOT_EXCLUDED, lead, SLICE_NONE);
	book(step, import, lead);
	if (referrer == NULL)
		return;
	step_add_referral(step, lead, referrer);
	step_update_referral(step, lead, SCORE_REFERRAL);
}

/* Adds the tags that the lead lacks. They earn points only if the row has no score. */
static void
add_missing_tags(struct step *step, const struct import *import, struct working_lead *lead)
{
	const struct definitions *definitions = step->campaign->definitions;
	struct slice rest = import->tag_ids;
	uint64_t id;
	while (id_list_next(&rest, &id)) {
		const struct tag *tag = definitions_tag(definitions, id);
		if (tag == NULL || id_list_has(lead->lead.tag_ids, id))
			continue;
		step->outcome->tagged = true;
		if (!import->has_score) {
			step_add_tag(step, lead, tag);
			continue;
		}
		step_touch(step, lead);
		lead->lead.tag_ids = id_list_add(step->pool, lead->lead.tag_ids, id);
	}
}

/* A file with opt-outs may be newer than the lead, or list a person twice. One opt-out too many is better than one too few, so
 * no import ends an opt-out. */
static void
add_opt_outs(struct step *step, const struct import *import, struct working_lead *lead)
{
	const bool mail = import->opted_out && !lead->lead.opted_out,
		   texts = import->sms_opted_out && !lead->lead.sms_opted_out;
	if (!mail && !texts)
		return;
	step_touch(step, lead);
	lead->lead.opted_out = lead->lead.opted_out || mail;
	lead->lead.sms_opted_out = lead->lead.sms_opted_out || texts;
	step->outcome->opted_out = true;
}

static bool
is_erased(const struct step *step, const struct import *import)
{
	for (size_t i = 0; i < step->set->erased_count; i++)
		if (step->set->erased[i] == import)
			return true;
	return false;
}

void
decide_import(struct step *step)
{
	const struct import *import = step->command->as.import;
	const struct signup *row = &import->signup;
	struct working_lead *match;
	const struct custom_field_changes changes = { row->custom_fields, row->custom_field_count, 0, true };
	const struct stored_fields none = { SLICE_NONE, 0 };
	struct stored_fields fields;
	struct slice problem;
	step->silent = !import->events;
	if (!match_lead(step, row, &match))
		return;
	if (match != NULL) {
		if (match->lead.source_class != SOURCE_IMPORT) /* no one has the token of an imported lead */
			step_share(step, match);
		if (import->adds_tags)
			add_missing_tags(step, import, match);
		add_opt_outs(step, import, match);
		return;
	}
	if (is_erased(step, import)) {
		refuse(step, SLICE("the data of this person were erased, see lead erase in leadhook(1)"));
		return;
	}
	if (import->created_ms > step->set->now_ms + CLOCK_TOLERANCE_MS) {
		step_fail(step, FAILURE_INVALID_PARAMETER, SLICE("created is in the future"));
		return;
	}
	if (custom_fields_merge(step->pool, &none, &changes, &step->id_supply->custom_fields, &fields, &problem))
		add_lead(step, import, &fields);
	else
		step_fail(step, FAILURE_INVALID_PARAMETER, problem);
}
