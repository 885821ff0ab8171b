/* SPDX-License-Identifier: MIT
 * The messages that follow from a command (docs/api.md 4.1.12). They are requested with it, and composed and sent later. */
#include "engine/decide_step.h"
#include "engine/strangers.h"

/* By the campaign's settings; a lead that requests its erasure gets its mail anyway, and so does one that has to confirm. */
static bool
is_wanted(const struct campaign *campaign, enum message_kind kind)
{
	if (kind == MESSAGE_VERIFY)
		return campaign->verify_email;
	return kind == MESSAGE_ERASE_CONFIRM || (campaign->mails & MESSAGE_BIT(kind)) != 0;
}

bool
step_request_mail(struct step *step, const struct working_lead *lead, enum message_kind kind, uint64_t ref)
{
	struct decision *d = step->decision;
	const bool confirms = kind == MESSAGE_VERIFY && step_is_unproven(lead);
	if (!step->id_supply->sends_mail || step->silent || !slice_present(lead->lead.email))
		return false;
	if (!confirms && (lead->lead.fraudulent || !is_wanted(&step->campaign->campaign, kind)))
		return false;
	d->messages = pool_grow(step->pool, d->messages, d->message_count, &d->message_capacity, sizeof(*d->messages));
	d->messages[d->message_count++] = (struct made_message){ lead->lead.campaign_id, lead->lead.id, kind, ref };
	d->changes = true;
	return true;
}

/* A lead that signs up again may have lost its mail. An opt-out ends when the lead confirms again, not by a sign-up that any
 * caller could have sent. */
void
step_mail_repetition(struct step *step, const struct working_lead *lead, bool withheld)
{
	const bool confirms = !lead->lead.verified_email || lead->lead.opted_out;
	if ((!confirms || !step_request_mail(step, lead, MESSAGE_VERIFY, 0)) && withheld)
		(void)!step_request_mail(step, lead, MESSAGE_STATUS_LINK, 0);
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
