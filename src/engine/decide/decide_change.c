/* SPDX-License-Identifier: MIT */
#include "engine/decide/decide_change.h"

#include "base/panic.h"
#include "engine/decide/fraud.h"
#include "engine/decide/referral.h"
#include "engine/decide/requested_messages.h"
#include "engine/decide/score.h"
#include "engine/strangers.h"

void
decide_points(struct step *step)
{
	const struct points_call *call = &step->command->as.points;
	uint64_t id = step_take_call_id(step);
	size_t found = 0;
	for (size_t i = 0; i < call->lead_count; i++) {
		struct working_lead *lead = step_find(step, &call->leads[i]);
		if (lead == NULL)
			continue;
		found++;
		size_t touched = step->touched_count;
		step_touch(step, lead);
		if (step->touched_count > touched) /* otherwise the lead was given twice */
			step_book(step, lead,
			    &(struct booking){
				.reason = SCORE_CUSTOM, .ref = id, .points = call->points, .message = call->message });
	}
	if (found == 0)
		step_fail(step, FAILURE_LEADS_NOT_FOUND, SLICE_NONE);
}

/* To a stranger an action that cannot be completed is answered like one that does not exist. */
static bool
may_see(const struct step *step, const struct action *action)
{
	return action != NULL && (step_has_right(step, RIGHT_CHANGE) || (action->public && action->tag_id == 0));
}

void
decide_completion(struct step *step)
{
	const struct completion *completion = &step->command->as.completion;
	const struct action *action = definitions_action(step->campaign->definitions, completion->action_id);
	struct working_lead *lead = step_find(step, &completion->lead);
	if (!may_see(step, action))
		step_fail(step, FAILURE_ACTION_NOT_FOUND, SLICE_NONE);
	else if (action->tag_id != 0)
		step_fail(step, FAILURE_INVALID_ACTION, SLICE_NONE);
	else if (lead == NULL)
		step_fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
	else
		step_complete(step, lead, action, completion->message);
}

/* Whether the code leads to a mail with the link to the page, and not there itself. */
static bool
is_page_mailed(const struct step *step, const struct working_lead *lead, enum lead_channel channel)
{
	return channel == CHANNEL_PHONE && lead_page_is_mailed(&step->campaign->campaign, &lead->lead);
}

/* The proof of it. A lead that confirms its email address wants mail again. */
static void
note_confirmation(struct step *step, struct working_lead *lead, enum lead_channel channel, bool is_new)
{
	const struct lead_change *change = &step->command->as.change;
	struct decision *d = step->decision;
	d->confirmations = pool_grow(
	    step->pool, d->confirmations, d->confirmation_count, &d->confirmation_capacity, sizeof(*d->confirmations));
	d->confirmations[d->confirmation_count++] = (struct made_confirmation){
		.lead_id = lead->lead.id,
		.channel = channel,
		.address = channel == CHANNEL_EMAIL ? lead->lead.email : lead->lead.phone,
		.ip = change->ip,
		.user_agent = change->user_agent,
	};
	if (channel == CHANNEL_EMAIL)
		lead->lead.opted_out = false;
	if (channel == CHANNEL_EMAIL && is_new)
		step_mail_welcome(step, lead);
	if (is_page_mailed(step, lead, channel))
		step_mail_repetition(step, lead, true);
}

/* 4.1.11: the lead is that of the person that proves its email address; without one that is proven, of the one that proves its
 * number. The number beside a proven email address, and where the number alone is proven the email address beside it, may be
 * that of the person that has signed it up before, also if that person has proven it. */
static void
pass_to_owner(const struct step *step, struct working_lead *working, enum lead_channel channel)
{
	struct lead *lead = &working->lead;
	if (!lead_is_passed_on(&step->campaign->campaign, lead, channel))
		return;
	step_end_tokens(working);
	if (channel == CHANNEL_EMAIL && slice_present(lead->phone)) {
		lead->claimed = CLAIM_PHONE;
		lead->proven &= ~CHANNEL_BIT(CHANNEL_PHONE);
	}
	if (channel == CHANNEL_PHONE && slice_present(lead->email) && campaign_matches_by_number(&step->campaign->campaign)) {
		lead->claimed = CLAIM_EMAIL;
		lead->proven &= ~CHANNEL_BIT(CHANNEL_EMAIL);
	}
}

/* By a code or a link that was sent to the address. That of a claim shows nothing of the lead's person. */
static void
prove(const struct step *step, struct working_lead *lead, enum lead_channel channel)
{
	pass_to_owner(step, lead, channel);
	if (!lead_claim_stands(&step->campaign->campaign, &lead->lead, channel))
		lead->lead.proven |= CHANNEL_BIT(channel);
}

/* To the person that has confirmed the address: the lead's page, unless a mail leads there, or the address is a claim. */
static struct working_lead *
show_confirmed(const struct step *step, struct working_lead *lead, enum lead_channel channel)
{
	const struct campaign *campaign = &step->campaign->campaign;
	enum message_kind kind;
	if (is_page_mailed(step, lead, channel) && step->id_supply->sends_mail) {
		if (stranger_mails(campaign, &lead->lead, true, &kind))
			step->outcome->showing = WITHHELD;
		return NULL;
	}
	if (lead_claim_stands(campaign, &lead->lead, channel))
		return NULL;
	step->outcome->showing = SHOWN_TO_OWNER;
	return lead;
}

/* Verifies the given channel; without one the email, or the phone when there is no email, or only one that is a claim: the
 * operator means what the lead has proven. Returns the answer, if any. */
static struct working_lead *
verify(struct step *step, struct working_lead *lead, struct slice channel)
{
	bool has_email = slice_present(lead->lead.email), has_phone = slice_present(lead->lead.phone);
	bool by_email = slice_present(channel) ? slice_equal(channel, lead_channel_name(CHANNEL_EMAIL))
					       : has_email && !lead_claims(&lead->lead, CHANNEL_EMAIL);
	const enum lead_channel verifies = by_email ? CHANNEL_EMAIL : CHANNEL_PHONE;
	bool was_verified = lead_is_verified(&lead->lead);
	bool *verified = by_email ? &lead->lead.verified_email : &lead->lead.verified_phone;
	const bool is_new = !*verified;
	if (by_email ? !has_email : !has_phone)
		return NULL;
	step_touch(step, lead);
	if (slice_present(step->command->as.change.address))
		prove(step, lead, verifies);
	*verified = true;
	lead->lead.bounced = lead->lead.bounced && !by_email;
	if (!was_verified) {
		step_clear_unproven(step, lead);
		step_book_signup(step, lead);
		step_update_referral(step, lead, SCORE_REFERRAL);
	}
	if (!step->command->as.change.by_lead)
		return NULL;
	note_confirmation(step, lead, verifies, is_new);
	return show_confirmed(step, lead, verifies);
}

/* Whether the lead still has the address to which the link or the code was sent that the caller has. */
static bool
has_address(const struct lead *lead, const struct lead_change *change)
{
	return !slice_present(change->address) || slice_equal(change->address, lead->email_key) ||
	       slice_equal(change->address, lead->phone);
}

/* The given channel is not verified any more; without one both are not, because `verified` is to become false. Referrers lose
 * what they lose by a changed address: their counts, not their credit (docs/api.md 4.6). */
static void
unverify(struct step *step, struct working_lead *lead, struct slice channel)
{
	bool email = lead->lead.verified_email && !slice_equal(channel, SLICE("phone"));
	bool phone = lead->lead.verified_phone && !slice_equal(channel, SLICE("email"));
	if (!email && !phone)
		return;
	step_touch(step, lead);
	if (email)
		step_drop_proof(&lead->lead, CHANNEL_EMAIL);
	if (phone)
		step_drop_proof(&lead->lead, CHANNEL_PHONE);
	step_recount_referral(step, lead);
}

/* Mail clients that follow links repeat opt-outs; repetitions write nothing. */
static void
set(struct step *step, struct working_lead *lead, bool *flag, bool value)
{
	if (*flag == value)
		return;
	step_touch(step, lead);
	*flag = value;
}

static void
set_waitlisted(struct step *step, struct working_lead *lead, bool waitlisted)
{
	if (lead->lead.waitlisted == waitlisted)
		return;
	step_touch(step, lead);
	lead->lead.waitlisted = waitlisted;
	lead->lead.removed_from_waitlist = !waitlisted;
}

static void
tag(struct step *step, struct working_lead *lead, uint64_t tag_id)
{
	const struct tag *found = definitions_tag(step->campaign->definitions, tag_id);
	/* the tag may have been removed since the item was queued */
	if (found == NULL)
		step_fail(step, FAILURE_TAG_NOT_FOUND, SLICE_NONE);
	else
		step_tag(step, lead, found);
}

/* Points of a call that was accepted before the campaign's end are booked after it, too (docs/api.md 6). */
static void
add_points(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	step->ended = false;
	step_touch(step, lead);
	step_book(step, lead,
	    &(struct booking){
		.reason = SCORE_CUSTOM, .ref = step_take_call_id(step), .points = change->points, .message = change->message });
}

/* Links in mails to it end. */
static void
remove_address(struct step *step, struct working_lead *working, enum lead_channel channel)
{
	struct lead *lead = &working->lead;
	const bool was_verified = lead_is_verified(lead);
	step_touch(step, working);
	if (channel == CHANNEL_EMAIL) {
		/* it may have got the link to the page */
		if (!lead_claim_stands(&step->campaign->campaign, lead, CHANNEL_EMAIL))
			step_end_tokens(working);
		lead->email = lead->email_key = lead->email_hash = SLICE_NONE;
		lead->bounced = false;
		lead->opt_out_epoch++;
	} else {
		lead->phone = lead->phone_hash = SLICE_NONE;
		lead->sms_opted_out = false;
	}
	step_drop_proof(lead, channel);
	if (lead_claims(lead, channel))
		lead->claimed = CLAIM_NONE;
	if (was_verified && !lead_is_verified(lead) && campaign_counts_verified(&step->campaign->campaign))
		step_take_back_referral(step, working, true); /* the address can verify another lead */
	if (was_verified)
		step_recount_referral(step, working);
	if (channel == CHANNEL_EMAIL)
		step_judge_address(step, working, false);
}

/* The address that a lead only claims; the other one stays. Returns whether it is one. */
static bool
drop_claim(struct step *step, struct working_lead *working, struct slice address)
{
	const struct lead *lead = &working->lead;
	if (slice_equal(address, lead->email_key) && lead_only_claims(lead, CHANNEL_EMAIL))
		remove_address(step, working, CHANNEL_EMAIL);
	else if (slice_equal(address, lead->phone) && lead_only_claims(lead, CHANNEL_PHONE))
		remove_address(step, working, CHANNEL_PHONE);
	else
		return false;
	step->outcome->claim_alone = true;
	return true;
}

/* The owner of an address that it only claims has no part in the lead: a person that did not sign up takes the address away. */
static void
opt_out(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	if (!change->by_lead || !drop_claim(step, lead, change->address))
		set(step, lead, &lead->lead.opted_out, true);
}

/* A lead that deletes itself could sign up again, for new points: its referrers do not keep those that they got for it. */
static void
delete_lead(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	step->silent = slice_equal(change->argument, LEAD_DELETE_ERASED);
	if (slice_present(change->address) && (drop_claim(step, lead, change->address) || step->silent))
		return;
	if (slice_equal(change->argument, LEAD_DELETE_UNVERIFIED) && lead_is_verified(&lead->lead))
		return;
	if (change->by_lead) {
		step_take_back_referral(step, lead, true);
		step_owe_referral(step, lead);
	}
	step_remove_lead(step, lead);
}

/* All but LEAD_VERIFY. */
static void
apply(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	switch (change->action) {
	case LEAD_OPTOUT:
		opt_out(step, lead);
		return;
	case LEAD_SMS_OPTOUT:
	case LEAD_SMS_OPTIN:
		set(step, lead, &lead->lead.sms_opted_out, change->action == LEAD_SMS_OPTOUT);
		return;
	case LEAD_UNVERIFY:
		unverify(step, lead, change->argument);
		return;
	case LEAD_APPROVE:
		step_approve(step, lead);
		return;
	case LEAD_BLOCK:
		step_block(step, lead, change->argument);
		return;
	case LEAD_WAITLIST:
	case LEAD_UNWAITLIST:
		set_waitlisted(step, lead, change->action == LEAD_WAITLIST);
		return;
	case LEAD_TAG:
		tag(step, lead, change->tag_id);
		return;
	case LEAD_DELETE:
		delete_lead(step, lead);
		return;
	case LEAD_POINTS:
		add_points(step, lead);
		return;
	case LEAD_VERIFY:
	case LEAD_ACTIONS:
		return;
	}
}

struct working_lead *
decide_change(struct step *step)
{
	const struct lead_change *change = &step->command->as.change;
	const bool verifies = change->action == LEAD_VERIFY;
	require(change->argument.size <= LEAD_ARGUMENT_MAX_BYTES);
	struct working_lead *lead = step_find(step, &change->lead);
	if (lead == NULL)
		step_fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
	else if (!has_address(&lead->lead, change))
		step_fail(step, verifies ? FAILURE_INVALID_CODE : FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
	else if (verifies)
		return verify(step, lead, change->argument);
	else
		apply(step, lead);
	return NULL;
}
