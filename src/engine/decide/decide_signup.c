/* SPDX-License-Identifier: MIT */
#include "engine/decide/decide_signup.h"

#include "engine/custom_fields.h"
#include "engine/decide/fraud.h"
#include "engine/decide/referral.h"
#include "engine/decide/requested_messages.h"
#include "engine/decide/score.h"
#include "engine/source.h"
#include "engine/visitors.h"

/* Whether the caller has the lead's token (docs/api.md 4.1.11). */
static enum visitor
visitor_to(const struct signup *signup, const struct working_lead *lead)
{
	const struct lead_reference own = {
		.identity = LEAD_BY_SOCIAL_ID, .own = true, .epoch = signup->own_epoch, .value = signup->own_id
	};
	return lead_is_named(&lead->lead, &own) ? VISITOR_OWNER : VISITOR_STRANGER;
}

static bool
may_change(const struct step *step, const struct signup *signup, const struct working_lead *lead)
{
	const struct campaign *campaign = &step->campaign->campaign;
	const enum visitor visitor = visitor_to(signup, lead);
	return step_has_right(step, RIGHT_CHANGE) ||
	       (visitor_may_change(campaign, visitor) &&
		   (visitor == VISITOR_OWNER ||
		       stranger_names_person(campaign, &lead->lead, signup->email_key, signup->phone)));
}

/* A mail or a text to an address of a lead can contain the link to its page. So only callers that may also read leads may set
 * addresses of existing leads (docs/manage.md 2). */
static bool
sets_addresses(const struct step *step)
{
	return step_has_right(step, RIGHT_CHANGE) && step_has_right(step, RIGHT_LEADS);
}

/* Whether a look-up by a stranger, by email address or phone number, shows a lead (docs/api.md 4.1.11). */
static bool
shows_addresses(const struct step *step)
{
	return visitor_may_see(&step->campaign->campaign, LEAD_BY_EMAIL, VISITOR_STRANGER);
}

static bool
may_add_address(const struct step *step, const struct signup *signup, const struct working_lead *lead)
{
	const struct campaign *campaign = &step->campaign->campaign;
	const enum visitor visitor = visitor_to(signup, lead);
	return sets_addresses(step) ||
	       (visitor_may_change(campaign, visitor) &&
		   (visitor == VISITOR_OWNER || (shows_addresses(step) && stranger_may_add_address(campaign))));
}

/* docs/api.md 4.3: if the two addresses do not belong to the same lead, one of them decides for callers that may not set
 * addresses. The other one is left out, even if its lead has no other address: anyone can enter it. */
static void
leave_out_address(const struct step *step, struct signup *signup)
{
	const struct campaign *campaign = &step->campaign->campaign;
	if (sets_addresses(step) || !slice_present(signup->email_key) || !slice_present(signup->phone))
		return; /* nothing to do in most sign-ups */
	const struct working_lead *by_email = step_find_value(step, LEAD_BY_EMAIL, signup->email_key);
	const struct working_lead *by_phone = step_find_value(step, LEAD_BY_PHONE, signup->phone);
	if (by_email == by_phone)
		return;
	if (campaign_matches_by_number(campaign) && !(by_email != NULL && visitor_to(signup, by_email) == VISITOR_OWNER)) {
		if (by_email != NULL)
			signup->email = signup->email_key = SLICE_NONE;
	} else if (by_phone != NULL && (by_email != NULL || !visitor_matches_number(campaign, &by_phone->lead,
								signup->email_key, visitor_to(signup, by_phone)))) {
		signup->phone = SLICE_NONE;
	}
}

/* Finds the lead of a sign-up (docs/api.md 4.3, steps 1 to 3); NULL: a new one. Returns false when the command fails. */
static bool
match_lead(struct step *step, const struct signup *signup, struct working_lead **match)
{
	struct working_lead *by_email = step_find_value(step, LEAD_BY_EMAIL, signup->email_key);
	struct working_lead *by_phone = step_find_value(step, LEAD_BY_PHONE, signup->phone);
	struct working_lead *lead = by_email != NULL ? by_email : by_phone;
	if (slice_present(signup->subject)) {
		if ((slice_present(signup->email) || slice_present(signup->phone)) && !sets_addresses(step)) {
			step_fail(step, FAILURE_MISSING_RIGHT, SLICE("The address of a lead is set with the right leads, too"));
			return false;
		}
		lead = step_find_value(step, LEAD_BY_SOCIAL_ID, signup->subject);
		if (lead == NULL) {
			step_fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
			return false;
		}
	}
	if ((by_email != NULL && by_email != lead) || (by_phone != NULL && by_phone != lead)) {
		step_fail(step, FAILURE_CONFLICTING_IDENTIFIERS, SLICE_NONE);
		return false;
	}
	if (lead == NULL && signup->must_exist) {
		step_fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
		return false;
	}
	*match = lead;
	return true;
}

/* docs/api.md 4.3, step 4: missing addresses are added. Strangers do not replace existing ones; the owner replaces a claim. A
 * replaced address is no longer verified. */
static void
update_addresses(struct step *step, const struct signup *signup, struct lead *lead, enum visitor visitor)
{
	const bool may_replace = sets_addresses(step), owned = visitor == VISITOR_OWNER;
	const bool corrects_email = owned && lead_claims(lead, CHANNEL_EMAIL);
	/* otherwise the second number would show whether the first was left out because it belongs to another lead */
	const bool corrects_phone =
	    owned && (lead_claims(lead, CHANNEL_PHONE) ||
			 (!lead->verified_phone && campaign_hides_unverified(&step->campaign->campaign)));
	if (slice_present(signup->email_key) && !slice_equal(signup->email_key, lead->email_key) &&
	    (may_replace || corrects_email || !slice_present(lead->email_key))) {
		if (slice_present(lead->email_key)) /* its opt-out links belong to another person */
			lead->opt_out_epoch++;
		lead->email = signup->email;
		lead->email_key = signup->email_key;
		lead->email_hash = lead_email_hash(step->pool, lead->campaign_id, signup->email_key);
		step_drop_proof(lead, CHANNEL_EMAIL);
		lead->bounced = false;
	}
	if (slice_present(signup->phone) && !slice_equal(signup->phone, lead->phone) &&
	    (may_replace || corrects_phone || !slice_present(lead->phone))) {
		if (slice_present(lead->phone)) /* the opt-out was for that number */
			lead->sms_opted_out = false;
		lead->phone = signup->phone;
		lead->phone_hash = lead_phone_hash(step->pool, lead->campaign_id, signup->phone);
		step_drop_proof(lead, CHANNEL_PHONE);
	}
}

/* Whether the lead now has an address whose owner may not be the person who has its token (docs/api.md 4.1.11). Adding an
 * address to a verified lead takes nothing from the person who verified it. */
static bool
may_be_anothers(const struct step *step, const struct lead *before, const struct lead *after, enum visitor visitor)
{
	const bool owned = visitor == VISITOR_OWNER;
	const bool email_is_new = !slice_equal(before->email_key, after->email_key);
	const bool phone_is_new = !slice_equal(before->phone, after->phone);
	const bool corrected = owned && !sets_addresses(step);
	const bool replaced = !corrected && ((email_is_new && slice_present(before->email_key)) ||
						(phone_is_new && slice_present(before->phone)));
	return replaced || ((email_is_new || phone_is_new) && !owned && !lead_is_verified(before));
}

/* docs/api.md 4.1.11: an address that a stranger adds is a claim; one that a key adds or replaces is not. An address that the
 * owner or an operator sends stops being a claim, even if the lead already has it; a key may merely be sending back what it got
 * from a webhook. */
static enum lead_claim
claim_after(const struct step *step, const struct signup *signup, const struct lead *before, const struct lead *after,
    enum visitor visitor)
{
	const bool owned = visitor == VISITOR_OWNER;
	const bool email_is_new = !slice_equal(before->email_key, after->email_key);
	const bool phone_is_new = !slice_equal(before->phone, after->phone);
	if (!owned && !sets_addresses(step) && (email_is_new || phone_is_new))
		return email_is_new ? CLAIM_EMAIL : CLAIM_PHONE;
	const bool confirms = owned || signup->edits;
	const bool has_email = email_is_new || (confirms && slice_equal(signup->email_key, after->email_key));
	const bool has_phone = phone_is_new || (confirms && slice_equal(signup->phone, after->phone));
	const bool ends =
	    (lead_claims(before, CHANNEL_EMAIL) && has_email) || (lead_claims(before, CHANNEL_PHONE) && has_phone);
	return ends ? CLAIM_NONE : (enum lead_claim)before->claimed;
}

static void
replace(struct slice *place, struct slice value)
{
	if (slice_present(value))
		*place = value;
}

/* docs/api.md 4.3, step 6 */
static void
update_fields(const struct step *step, const struct signup *signup, struct lead *lead)
{
	replace(&lead->uid, signup->uid);
	replace(&lead->redirect_url, signup->redirect_url);
	if (slice_present(signup->redirect_url))
		lead->redirect_by_key = step_has_right(step, RIGHT_CHANGE);
	if (signup->replace_ip)
		replace(&lead->ip, signup->ip);
	if (signup->replace_language || !slice_present(lead->language))
		replace(&lead->language, signup->language);
	if (signup->replace_user_agent)
		replace(&lead->user_agent, signup->user_agent);
	if (!slice_present(lead->utm))
		replace(&lead->utm, signup->utm);
}

static void
book_points(struct step *step, const struct signup *signup, struct working_lead *lead)
{
	if (signup->points == 0 || !(step_has_right(step, RIGHT_CHANGE) || signup->inbound))
		return;
	step_book_points(
	    step, lead, &(struct booking){ .reason = SCORE_CUSTOM, .ref = step_take_call_id(step), .points = signup->points });
}

static void
judge_address(struct step *step, struct working_lead *lead)
{
	if (sets_addresses(step))
		step_trust_address(step, lead);
	else
		step_judge_address(step, lead);
}

/* Returns whether the owner of its email address has lost the link to its page. */
static bool
update_lead(struct step *step, const struct signup *signup, struct working_lead *match, const struct stored_fields *fields)
{
	struct lead *lead = &match->lead;
	const struct lead before = *lead;
	const enum visitor visitor = visitor_to(signup, match);
	step_touch(step, match);
	if (may_add_address(step, signup, match))
		update_addresses(step, signup, lead, visitor);
	lead->claimed = claim_after(step, signup, &before, lead, visitor);
	const bool ends_tokens = may_be_anothers(step, &before, lead, visitor);
	if (ends_tokens)
		step_end_tokens(match);
	update_fields(step, signup, lead);
	lead->bounced = lead->bounced && !signup->ends_bounce;
	lead->custom_fields = fields->json;
	lead->keyed_fields = (uint32_t)fields->keyed;
	if (!signup->keep_opt_out && !signup->edits)
		lead->opted_out = false;
	if (lead_is_verified(lead) != lead_is_verified(&before))
		step_recount_referral(step, match);
	if (!slice_equal(before.email_key, lead->email_key))
		judge_address(step, match);
	return ends_tokens && slice_present(before.email_key) && slice_equal(before.email_key, lead->email_key);
}

static void
count_repetition(struct step *step, struct working_lead *match)
{
	step_touch(step, match);
	match->lead.counter++;
	step_note(step, EVENT_REPEAT_SIGNUP, match, SLICE_NONE);
}

static struct lead
lead_from_signup(
    struct step *step, const struct signup *signup, const struct stored_fields *fields, const struct working_lead *referrer)
{
	struct campaign *campaign = &step->campaign->campaign;
	struct lead lead = {
		.id = step_take_lead_id(step),
		.campaign_id = campaign->id,
		.subscription_number = ++campaign->last_subscription_number,
		.counter = 1,
		.social_id = step->social_id,
		.parent_id = referrer == NULL ? 0 : referrer->lead.id,
		.parent_social_id = referrer == NULL ? SLICE_NONE : referrer->lead.social_id,
		.waitlisted = campaign->waitlist,
		.custom_fields = fields->json,
		.keyed_fields = (uint32_t)fields->keyed,
		.utm = signup->utm,
		.uid = signup->uid,
		.redirect_url = signup->redirect_url,
		.redirect_by_key = slice_present(signup->redirect_url) && step_has_right(step, RIGHT_CHANGE),
		.ip = signup->ip,
		.user_agent = signup->user_agent,
		.language = signup->language,
		.referrer = signup->referrer,
		.source = signup->source,
		.source_id = signup->source_id,
		.signup_url = signup->signup_url,
		.session_id = signup->session_id,
		.request_id = signup->request_id,
		.created_ms = step->set->now_ms,
	};
	lead.source_class = source_of_signup(step->pool, &lead, signup);
	update_addresses(step, signup, &lead, VISITOR_STRANGER);
	lead.fraud_flags = step_fraud_flags(step, signup, &lead, referrer);
	lead.fraudulent = slice_present(lead.fraud_flags);
	lead.times_flagged = lead.fraudulent ? 1 : 0;
	lead.marked_ms = lead.fraudulent ? lead.created_ms : 0;
	lead.announced = !lead.fraudulent;
	return lead;
}

static struct working_lead *
add_lead(struct step *step, const struct signup *signup, const struct stored_fields *fields)
{
	/* docs/api.md 4.6: unknown and foreign referrers are ignored */
	struct working_lead *referrer = step_find_value(step, LEAD_BY_SOCIAL_ID, signup->referrer_id);
	struct lead made = lead_from_signup(step, signup, fields, referrer);
	struct working_lead *lead = step_add_lead(step, &made);
	step->outcome->created = true;
	step_note(step, EVENT_NEW_SIGNUP, lead, SLICE_NONE);
	if (lead->lead.announced)
		step_note(step, EVENT_NEW_SIGNUP_NOT_EXCLUDED, lead, SLICE_NONE);
	lead->lead.points_due = step->campaign->campaign.points_signup;
	step_book_signup_points(step, lead);
	book_points(step, signup, lead);
	if (referrer != NULL) {
		step_add_referral(step, lead, referrer);
		step_update_referral(step, lead, SCORE_REFERRAL);
	}
	return lead;
}

/* The custom fields of the lead after the sign-up; `lead` is NULL for a new one. A lead that is not changed is treated like a
 * new one, so that a failure does not show which leads exist. Returns false when the command fails. */
static bool
merge_fields(struct step *step, const struct signup *signup, const struct working_lead *lead, struct stored_fields *merged)
{
	struct custom_field_limits limits = step->id_supply->custom_fields;
	const struct custom_field_changes changes = { signup->custom_fields, signup->custom_field_count,
		signup->optional_fields, step_has_right(step, RIGHT_CHANGE) };
	struct stored_fields stored = { SLICE_NONE, 0 };
	struct slice problem;
	if (step->command->rights != RIGHTS_NONE) /* even if they are a stranger's */
		limits.public_bytes = limits.bytes;
	if (lead != NULL)
		stored = (struct stored_fields){ lead->lead.custom_fields, lead->lead.keyed_fields };
	if (custom_fields_merge(step->pool, &stored, &changes, &limits, merged, &problem))
		return true;
	step_fail(step, FAILURE_INVALID_PARAMETER, problem);
	return false;
}

/* docs/api.md 4.1.11: a new lead is the caller's own. An existing one is shown as in a look-up by email or phone number. If
 * that shows nothing, and a mail or a code leads the person to its page, a new lead is withheld as well, so that the answer
 * does not show which leads exist. */
static enum lead_showing
showing(const struct step *step, const struct signup *signup, const struct working_lead *lead)
{
	if (step_has_right(step, RIGHT_LEADS))
		return SHOWN_BY_VIEW;
	const bool is_visible = shows_addresses(step);
	if (lead == NULL) {
		const bool proves = slice_present(signup->email) ? step_proves_by_mail(step) : step_proves_by_text(step);
		return !is_visible && proves ? WITHHELD : SHOWN_TO_OWNER;
	}
	if (visitor_to(signup, lead) == VISITOR_OWNER)
		return SHOWN_TO_OWNER;
	return is_visible ? SHOWN_BY_VIEW : WITHHELD;
}

/* Whether the person is waiting for the link to its page, because the answer, which would show it, goes to the person. The
 * answer to an inbound webhook does not; its calls cause a mail only to a person who had opted out and whom the map opts in
 * again. */
static bool
awaits_link(const struct step *step, const struct signup *signup, const struct working_lead *lead)
{
	return !shows_addresses(step) && (!signup->inbound || lead->lead.opted_out);
}

/* The call of another system may have nothing to do with what the person wants by mail. */
static bool
keeps_opt_out(const struct signup *signup, const struct working_lead *lead)
{
	return signup->inbound && signup->keep_opt_out && lead->lead.opted_out;
}

static void
share(struct step *step, const struct signup *signup, struct working_lead *lead)
{
	if (!signup->edits && visitor_to(signup, lead) == VISITOR_STRANGER)
		step_share(step, lead);
}

/* For an existing lead. `fields`: its fields after the call; NULL: they are not changed. */
static void
sign_up_again(struct step *step, const struct signup *signup, struct working_lead *lead, const struct stored_fields *fields)
{
	const enum visitor visitor = visitor_to(signup, lead);
	const bool has_key = step_has_right(step, RIGHT_CHANGE);
	const bool mails =
	    !has_key && visitor == VISITOR_STRANGER && slice_present(lead->lead.email_key) && !keeps_opt_out(signup, lead);
	const bool counts = !signup->edits && !signup->unproven && /* docs/api.md 8 */
			    (fields != NULL || visitor_repetition_counts(&step->campaign->campaign, visitor));
	bool lost_link = false;
	share(step, signup, lead);
	if (!signup->edits)
		step_judge_repeated_signup(step, lead, signup);
	if (fields != NULL)
		lost_link = update_lead(step, signup, lead, fields);
	/* became due before the settings changed */
	step_book_signup_points(step, lead);
	step_catch_up_referral(step, lead);
	book_points(step, signup, lead);
	if (mails || lost_link)
		step_mail_repeated_signup(step, lead, lost_link || awaits_link(step, signup, lead) ? WITHHELD : SHOWN_BY_VIEW);
	if (!has_key)
		step_text_code(step, signup, lead);
	if (counts)
		count_repetition(step, lead);
}

/* docs/api.md 4.1.11, New number: otherwise the number would be stored only if the email address is unknown, and later sign-ups
 * with the number would reveal that. */
static bool
defers_number(const struct step *step, const struct signup *signup)
{
	if (!slice_present(signup->email_key) || sets_addresses(step) ||
	    !(step->id_supply->sends_mail && campaign_defers_numbers(&step->campaign->campaign)))
		return false;
	const struct working_lead *by_email = step_find_value(step, LEAD_BY_EMAIL, signup->email_key);
	return by_email == NULL || visitor_to(signup, by_email) == VISITOR_STRANGER;
}

/* The waiting number is a custom field, which is left out if there is no room for it. An absent number removes it. */
static struct custom_field
waiting_field(const struct step *step, struct slice number)
{
	return (struct custom_field){
		.name = UNCONFIRMED_NUMBER,
		.json = slice_present(number) ? POOL_JOIN(step->pool, SLICE("\""), number, SLICE("\"")) : SLICE_NONE,
		.text = number,
	};
}

/* Strangers do not set the field by its name. Returns the fields that are left, with room for another one. */
static struct custom_field *
remove_waiting_number(const struct step *step, struct signup *signup)
{
	const size_t required = signup->custom_field_count - signup->optional_fields;
	struct custom_field *fields = POOL_ARRAY(step->pool, signup->custom_field_count + 1, struct custom_field);
	size_t count = 0, optional = 0;
	for (size_t i = 0; i < signup->custom_field_count; i++) {
		if (slice_equal(signup->custom_fields[i].name, UNCONFIRMED_NUMBER))
			continue;
		fields[count++] = signup->custom_fields[i];
		optional += i >= required;
	}
	signup->custom_fields = fields;
	signup->custom_field_count = count;
	signup->optional_fields = (uint32_t)optional;
	return fields;
}

static void
let_number_wait(const struct step *step, struct signup *signup)
{
	struct custom_field *fields = remove_waiting_number(step, signup);
	fields[signup->custom_field_count++] = waiting_field(step, signup->phone);
	signup->optional_fields++;
	signup->phone = SLICE_NONE;
}

static struct stored_fields
with_waiting_number(const struct step *step, const struct stored_fields *stored, struct slice number)
{
	const struct custom_field field = waiting_field(step, number);
	const struct custom_field_changes change = { &field, 1, 1, false };
	struct stored_fields merged = *stored;
	struct slice problem;
	(void)!custom_fields_merge(step->pool, stored, &change, &step->id_supply->custom_fields, &merged, &problem);
	return merged;
}

/* For a sign-up that changes nothing else. Until the address is confirmed, the number of the last sign-up waits, because anyone
 * may have entered the earlier ones. A number that would displace another field is left out. */
static void
replace_waiting_number(struct step *step, const struct signup *signup, struct working_lead *lead)
{
	const struct slice number = signup->custom_fields[signup->custom_field_count - 1].text;
	if (lead->lead.verified_email || slice_present(lead->lead.phone) ||
	    slice_equal(lead_waiting_number(step->pool, &step->campaign->campaign, &lead->lead), number))
		return;
	const struct stored_fields stored = { lead->lead.custom_fields, lead->lead.keyed_fields };
	const struct stored_fields others = with_waiting_number(step, &stored, SLICE_NONE);
	const struct stored_fields all = with_waiting_number(step, &others, number);
	const bool fits = custom_fields_read(step->pool, all.json).count > custom_fields_read(step->pool, others.json).count;
	step_touch(step, lead);
	lead->lead.custom_fields = fits ? all.json : others.json;
	lead->lead.keyed_fields = (uint32_t)(fits ? all.keyed : others.keyed);
}

static bool
names_waiting_number(const struct signup *signup)
{
	for (size_t i = 0; i < signup->custom_field_count; i++)
		if (slice_equal(signup->custom_fields[i].name, UNCONFIRMED_NUMBER))
			return true;
	return false;
}

/* Whether an existing lead is only tagged. */
static bool
keeps_lead(const struct command *command)
{
	return command->kind == COMMAND_TAGGING && !command->as.tagging.update;
}

/* Returns the created or updated lead, or NULL when the sign-up failed. */
static struct working_lead *
sign_up(struct step *step, const struct signup *request)
{
	struct signup signup = *request;
	struct working_lead *lead;
	struct stored_fields fields;
	const bool defers = defers_number(step, &signup);
	if (defers)
		let_number_wait(step, &signup);
	else if (step->campaign->campaign.verify_email && !sets_addresses(step) && names_waiting_number(&signup))
		remove_waiting_number(step, &signup);
	leave_out_address(step, &signup);
	if (!match_lead(step, &signup, &lead))
		return NULL;
	step->outcome->showing = showing(step, &signup, lead);
	if (lead != NULL && keeps_lead(step->command)) {
		share(step, &signup, lead);
		return lead;
	}
	const bool changes = lead == NULL || (!signup.unproven && may_change(step, &signup, lead));
	if (!merge_fields(step, &signup, changes ? lead : NULL, &fields))
		return NULL;
	if (lead != NULL) {
		if (defers && !changes)
			replace_waiting_number(step, &signup, lead);
		sign_up_again(step, &signup, lead, changes ? &fields : NULL);
		return lead;
	}
	lead = add_lead(step, &signup, &fields);
	step_mail_welcome(step, lead);
	step_text_code(step, &signup, lead);
	return lead;
}

static bool
is_used(const struct step *step, struct slice proof)
{
	const struct decision *d = step->decision;
	if (slice_is_one_of(proof, step->set->used_proofs, step->set->used_proof_count))
		return true;
	for (size_t i = 0; i < d->proof_count; i++)
		if (slice_equal(d->proofs[i].nonce, proof))
			return true;
	return false;
}

/* A sign-up uses up its proof, even if it changes nothing. */
static void
use_proof(struct step *step, const struct signup *signup)
{
	struct decision *d = step->decision;
	if (!slice_present(signup->proof))
		return;
	*POOL_ADD(step->pool, d->proofs, d->proof_count, d->proof_capacity) =
	    (struct used_proof){ signup->proof, signup->proof_expires_ms };
	d->changes = true;
}

struct working_lead *
decide_signup(struct step *step)
{
	const struct signup *signup = &step->command->as.signup;
	if (slice_present(signup->proof) && is_used(step, signup->proof)) {
		step_fail(step, FAILURE_PROOF_INVALID, SLICE("it was used before"));
		return NULL;
	}
	struct working_lead *lead = sign_up(step, signup);
	if (lead != NULL)
		use_proof(step, signup);
	return lead;
}

struct working_lead *
decide_tagging(struct step *step)
{
	const struct tagging *tagging = &step->command->as.tagging;
	const struct tag *tag = definitions_tag(step->campaign->definitions, tagging->tag_id);
	if (tag == NULL) {
		step_fail(step, FAILURE_TAG_NOT_FOUND, SLICE_NONE);
		return NULL;
	}
	struct working_lead *lead = sign_up(step, &tagging->signup);
	if (lead != NULL)
		step_add_tag(step, lead, tag);
	return lead;
}
