/* SPDX-License-Identifier: MIT */
#include "engine/decide/decide_change.h"

#include "base/panic.h"
#include "engine/decide/fraud.h"
#include "engine/decide/referral.h"
#include "engine/decide/requested_messages.h"
#include "engine/decide/score.h"
#include "engine/visitors.h"

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
		if (step->touched_count > touched) /* otherwise the call named the lead twice */
			step_book_points(step, lead,
			    &(struct booking){
				.reason = SCORE_CUSTOM, .ref = id, .points = call->points, .message = call->message });
	}
	if (found == 0)
		step_fail(step, FAILURE_LEADS_NOT_FOUND, SLICE_NONE);
}

/* Strangers get the same answer for an action that they cannot complete as for one that does not exist. */
static bool
may_see_action(const struct step *step, const struct action *action)
{
	return action != NULL && (step_has_right(step, RIGHT_CHANGE) || (action->public && action->tag_id == 0));
}

void
decide_completion(struct step *step)
{
	const struct completion *completion = &step->command->as.completion;
	const struct action *action = definitions_action(step->campaign->definitions, completion->action_id);
	struct working_lead *lead = step_find(step, &completion->lead);
	if (!may_see_action(step, action))
		step_fail(step, FAILURE_ACTION_NOT_FOUND, SLICE_NONE);
	else if (action->tag_id != 0)
		step_fail(step, FAILURE_INVALID_ACTION, SLICE_NONE);
	else if (lead == NULL)
		step_fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
	else
		step_complete_action(step, lead, action, completion->message);
}

/* Whether a code sent to this address leads to a mail with the link to the page, and not to the page itself. */
static bool
is_page_mailed(const struct step *step, const struct working_lead *lead, enum lead_channel channel)
{
	return channel == CHANNEL_PHONE && lead_page_is_mailed(&step->campaign->campaign, &lead->lead);
}

/* Records that the lead has confirmed an address. Confirming its email address ends an opt-out of mail. */
static void
note_confirmation(struct step *step, struct working_lead *lead, enum lead_channel channel)
{
	const struct lead_change *change = &step->command->as.change;
	const bool was_verified = step_touch(step, lead)->before.verified_email;
	struct decision *d = step->decision;
	*POOL_ADD(step->pool, d->confirmations, d->confirmation_count, d->confirmation_capacity) = (struct made_confirmation){
		.lead_id = lead->lead.id,
		.channel = channel,
		.address = channel == CHANNEL_EMAIL ? lead->lead.email : lead->lead.phone,
		.ip = change->ip,
		.user_agent = change->user_agent,
	};
	if (channel == CHANNEL_EMAIL)
		lead->lead.opted_out = false;
	if (channel == CHANNEL_EMAIL && !was_verified)
		step_mail_welcome(step, lead);
	if (is_page_mailed(step, lead, channel))
		step_mail_repeated_signup(step, lead, WITHHELD);
}

/* docs/api.md 4.1.11: a lead belongs to the person who proves its email address or, if no email address is proven, its number.
 * The other address may belong to the person who signed the lead up before, even if that person has proven it. */
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

/* The person had a code or a link that was sent to the address. For a claim this proves nothing about the lead's person. */
static void
prove_address(const struct step *step, struct working_lead *lead, enum lead_channel channel)
{
	pass_to_owner(step, lead, channel);
	if (!lead_claim_gets_no_link(&step->campaign->campaign, &lead->lead, channel))
		lead->lead.proven |= CHANNEL_BIT(channel);
}

/* Shows the lead's page to the person who confirmed the address, unless a mail leads there or the address is a claim. */
static struct working_lead *
show_confirmed(const struct step *step, struct working_lead *lead, enum lead_channel channel)
{
	const struct campaign *campaign = &step->campaign->campaign;
	if (is_page_mailed(step, lead, channel) && step->id_supply->sends_mail) {
		if (lead_mail_to_owner(campaign, &lead->lead, WITHHELD) != MESSAGE_KINDS)
			step->outcome->showing = WITHHELD;
		return NULL;
	}
	if (lead_claim_gets_no_link(campaign, &lead->lead, channel))
		return NULL;
	step->outcome->showing = SHOWN_TO_OWNER;
	return lead;
}

/* Verifies the given channel. Without one: the email address, or the phone number when there is no email address or it is a
 * claim, because the operator means the address that the lead has proven. Returns the lead if the answer shows it. */
static struct working_lead *
verify_address(struct step *step, struct working_lead *lead, struct slice channel)
{
	bool has_email = slice_present(lead->lead.email), has_phone = slice_present(lead->lead.phone);
	bool by_email = slice_present(channel) ? slice_equal(channel, lead_channel_name(CHANNEL_EMAIL))
					       : has_email && !lead_claims(&lead->lead, CHANNEL_EMAIL);
	const enum lead_channel verifies = by_email ? CHANNEL_EMAIL : CHANNEL_PHONE;
	bool was_verified = lead_is_verified(&lead->lead);
	bool *verified = by_email ? &lead->lead.verified_email : &lead->lead.verified_phone;
	if (by_email ? !has_email : !has_phone)
		return NULL;
	step_touch(step, lead);
	if (slice_present(step->command->as.change.address))
		prove_address(step, lead, verifies);
	*verified = true;
	lead->lead.bounced = lead->lead.bounced && !by_email;
	if (!was_verified) {
		step_clear_unproven(step, lead);
		step_book_signup_points(step, lead);
		step_update_referral(step, lead, SCORE_REFERRAL);
	}
	if (!step->command->as.change.by_lead)
		return NULL;
	note_confirmation(step, lead, verifies);
	return show_confirmed(step, lead, verifies);
}

/* Whether the lead still has the address to which the caller's link or code was sent. */
static bool
has_address(const struct lead *lead, const struct lead_change *change)
{
	return !slice_present(change->address) || slice_equal(change->address, lead->email_key) ||
	       slice_equal(change->address, lead->phone);
}

/* Ends the verification of the given channel, or of both, so that `verified` becomes false. As with a changed address,
 * referrers lose their counts but keep their credit (docs/api.md 4.6). */
static void
unverify_addresses(struct step *step, struct working_lead *lead, struct slice channel)
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

static void
set_sms_opt_out(struct step *step, struct working_lead *lead, enum lead_action action)
{
	const bool opts_out = action == LEAD_SMS_OPTOUT;
	if (lead->lead.sms_opted_out == opts_out)
		return;
	step_touch(step, lead);
	lead->lead.sms_opted_out = opts_out;
}

static void
set_waitlisted(struct step *step, struct working_lead *lead, enum lead_action action)
{
	const bool waitlisted = action == LEAD_WAITLIST;
	if (lead->lead.waitlisted == waitlisted)
		return;
	step_touch(step, lead);
	lead->lead.waitlisted = waitlisted;
	lead->lead.removed_from_waitlist = !waitlisted;
}

static void
add_tag(struct step *step, struct working_lead *lead, uint64_t tag_id)
{
	const struct tag *found = definitions_tag(step->campaign->definitions, tag_id);
	/* the tag may have been removed since the item was queued */
	if (found == NULL)
		step_fail(step, FAILURE_TAG_NOT_FOUND, SLICE_NONE);
	else
		step_add_tag(step, lead, found);
}

/* A call that was accepted before the end of the campaign books its points even afterwards (docs/api.md 6). */
static void
add_points(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	step->ended = false;
	step_touch(step, lead);
	step_book_points(step, lead,
	    &(struct booking){
		.reason = SCORE_CUSTOM, .ref = step_take_call_id(step), .points = change->points, .message = change->message });
}

/* Removes the address; links in mails to it are no longer valid. */
static void
remove_address(struct step *step, struct working_lead *working, enum lead_channel channel)
{
	struct lead *lead = &working->lead;
	const bool was_verified = lead_is_verified(lead);
	step_touch(step, working);
	if (channel == CHANNEL_EMAIL) {
		/* a mail to it may have contained the link to the page */
		if (!lead_claim_gets_no_link(&step->campaign->campaign, lead, CHANNEL_EMAIL))
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
		step_take_back_referral(step, working, PAST_DELETED); /* the address can verify another lead */
	if (was_verified)
		step_recount_referral(step, working);
	if (channel == CHANNEL_EMAIL)
		step_judge_address(step, working);
}

/* Removes an address that the lead only claims. Returns false if the lead does not merely claim it. */
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

/* A lead that only claims the address loses it, because its owner did not sign up. Mail clients that follow links repeat
 * opt-outs; repetitions write nothing. */
static void
opt_out(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	if ((change->by_lead && drop_claim(step, lead, change->address)) || lead->lead.opted_out)
		return;
	step_touch(step, lead);
	lead->lead.opted_out = true;
}

/* A lead that deletes itself could sign up again to earn new points, so its referrers lose the points that they got for it. */
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
		step_take_back_referral(step, lead, PAST_DELETED);
		step_owe_referral(step, lead);
	}
	step_remove_lead(step, lead);
}

/* Makes any change but LEAD_VERIFY. */
static void
apply_change(struct step *step, struct working_lead *lead)
{
	const struct lead_change *change = &step->command->as.change;
	switch (change->action) {
	case LEAD_OPTOUT:
		opt_out(step, lead);
		return;
	case LEAD_SMS_OPTOUT:
	case LEAD_SMS_OPTIN:
		set_sms_opt_out(step, lead, change->action);
		return;
	case LEAD_UNVERIFY:
		unverify_addresses(step, lead, change->argument);
		return;
	case LEAD_APPROVE:
		step_approve(step, lead);
		return;
	case LEAD_BLOCK:
		step_block(step, lead, change->argument);
		return;
	case LEAD_WAITLIST:
	case LEAD_UNWAITLIST:
		set_waitlisted(step, lead, change->action);
		return;
	case LEAD_TAG:
		add_tag(step, lead, change->tag_id);
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
		return verify_address(step, lead, change->argument);
	else
		apply_change(step, lead);
	return NULL;
}
