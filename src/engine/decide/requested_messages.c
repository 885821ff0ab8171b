/* SPDX-License-Identifier: MIT */
#include "engine/decide/requested_messages.h"

#include "base/duration.h"
#include "engine/visitors.h"

/* Whether the campaign's settings ask for mails of this kind. A lead that requests its erasure gets the mail in any case. */
static bool
campaign_wants(const struct campaign *campaign, enum message_kind kind)
{
	if (kind == MESSAGE_VERIFY)
		return campaign->verify_email;
	if (kind == MESSAGE_DIGEST)
		kind = MESSAGE_REFERRAL;
	return kind == MESSAGE_ERASE_CONFIRM || (campaign->mails & MESSAGE_BIT(kind)) != 0;
}

static void
add_message(struct step *step, const struct working_lead *lead, enum message_kind kind, uint64_t ref)
{
	struct decision *d = step->decision;
	*POOL_ADD(step->pool, d->messages, d->message_count, d->message_capacity) =
	    (struct made_message){ .campaign_id = lead->lead.campaign_id,
		    .lead_id = lead->lead.id,
		    .kind = kind,
		    .ref = ref,
		    .due_ms = kind == MESSAGE_DIGEST ? (int64_t)ref : 0 };
	d->changes = true;
}

static bool
takes_mail(const struct step *step, const struct working_lead *lead)
{
	return step->id_supply->sends_mail && !step->silent && slice_present(lead->lead.email);
}

bool
step_request_mail(struct step *step, const struct working_lead *lead, enum message_kind kind, uint64_t ref)
{
	const bool confirms = kind == MESSAGE_VERIFY && lead_is_unproven(&lead->lead);
	if (!takes_mail(step, lead))
		return false;
	if (!confirms && (lead->lead.fraudulent || !campaign_wants(&step->campaign->campaign, kind)))
		return false;
	add_message(step, lead, kind, ref);
	return true;
}

void
step_release_mails(struct step *step, const struct working_lead *lead)
{
	struct decision *d = step->decision;
	*POOL_ADD(step->pool, d->confirmed_leads, d->confirmed_count, d->confirmed_capacity) = lead->lead.id;
}

/* A referral is announced by a mail of its own. The referrals of the next day are announced together when that day ends, and so
 * on: at most one mail a day, and none without a referral. */
void
step_mail_referral(struct step *step, struct working_lead *referrer, struct referral_link *link)
{
	const uint64_t now_ms = (uint64_t)step->set->now_ms, last_ms = referrer->lead.referral_mail_ms;
	if (last_ms + DAY_MS <= now_ms) {
		if (!step_request_mail(step, referrer, MESSAGE_REFERRAL, link->lead_id))
			return;
		step_touch(step, referrer);
		referrer->lead.referral_mail_ms = now_ms;
		return;
	}
	if (last_ms <= now_ms) { /* no digest waits */
		if (!step_request_mail(step, referrer, MESSAGE_DIGEST, last_ms + DAY_MS))
			return;
		step_touch(step, referrer);
		referrer->lead.referral_mail_ms = last_ms + DAY_MS;
	}
	link->digest_ms = referrer->lead.referral_mail_ms;
}

/* A lead that signs up again may have lost its mail. One that only lacks proof of work is flagged until it confirms. */
void
step_mail_repeated_signup(struct step *step, const struct working_lead *lead, enum lead_showing showing)
{
	const enum message_kind kind = lead_mail_to_owner(&step->campaign->campaign, &lead->lead, showing);
	if (lead_is_unproven(&lead->lead))
		(void)!step_request_mail(step, lead, MESSAGE_VERIFY, 0);
	else if (!lead->lead.fraudulent && takes_mail(step, lead) && kind != MESSAGE_KINDS)
		add_message(step, lead, kind, 0);
}

void
step_mail_welcome(struct step *step, const struct working_lead *lead)
{
	if (lead->lead.verified_email || !step_request_mail(step, lead, MESSAGE_VERIFY, 0))
		(void)!step_request_mail(step, lead, MESSAGE_WELCOME, 0);
}

bool
step_proves_by_mail(const struct step *step)
{
	return step->id_supply->sends_mail && campaign_proves_by_mail(&step->campaign->campaign);
}

bool
step_proves_by_text(const struct step *step)
{
	return step->id_supply->sends_texts && step->campaign->campaign.verify_phone;
}

/* A code is sent only to a number that was typed. A lead that is withheld has no other way to its page. */
void
step_text_code(struct step *step, const struct signup *signup, const struct working_lead *lead)
{
	const bool wanted = !lead->lead.verified_phone || step->outcome->showing == WITHHELD;
	const bool may_have = !lead->lead.sms_opted_out && (!lead->lead.fraudulent || lead_is_unproven(&lead->lead));
	if (wanted && may_have && step_proves_by_text(step) && !step->silent && !signup->no_code &&
	    slice_present(signup->phone) && slice_equal(signup->phone, lead->lead.phone))
		add_message(step, lead, MESSAGE_CODE, 0);
}
