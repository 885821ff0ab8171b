/* SPDX-License-Identifier: MIT */
#include "engine/visitors.h"

#include "engine/custom_fields.h"
#include "identity/domain.h"
#include "identity/link.h"
#include "identity/phone.h"

const struct slice form_answer_names[FORM_ANSWERS] = {
	[FORM_ANSWER_AUTO] = SLICE("auto"),
	[FORM_ANSWER_JSON] = SLICE("json"),
	[FORM_ANSWER_REDIRECT] = SLICE("redirect"),
};
const struct slice public_lookup_names[PUBLIC_LOOKUPS] = {
	[PUBLIC_LOOKUP_ALL] = SLICE("all"),
	[PUBLIC_LOOKUP_SOCIAL_ID] = SLICE("social_id"),
	[PUBLIC_LOOKUP_OWN] = SLICE("own"),
	[PUBLIC_LOOKUP_NONE] = SLICE("none"),
};
const struct slice public_update_names[PUBLIC_UPDATES] = {
	[PUBLIC_UPDATE_ALL] = SLICE("all"),
	[PUBLIC_UPDATE_OWN] = SLICE("own"),
	[PUBLIC_UPDATE_NONE] = SLICE("none"),
};
const struct slice campaign_bots_names[CAMPAIGN_BOTS] = {
	[BOTS_OFF] = SLICE("off"),
	[BOTS_HONEYPOT] = SLICE("honeypot"),
	[BOTS_PROOF] = SLICE("proof"),
	[BOTS_PROOF_OR_CONFIRM] = SLICE("proof_or_confirm"),
};

bool
visitor_may_see(const struct campaign *campaign, enum lead_identity identity, enum visitor visitor)
{
	switch (campaign->public_lookup) {
	case PUBLIC_LOOKUP_ALL:
		return true;
	case PUBLIC_LOOKUP_SOCIAL_ID:
		return visitor == VISITOR_OWNER || identity == LEAD_BY_SOCIAL_ID;
	case PUBLIC_LOOKUP_OWN:
		return visitor == VISITOR_OWNER;
	default: /* including numbers of later versions */
		return false;
	}
}

bool
visitor_may_change(const struct campaign *campaign, enum visitor visitor)
{
	return campaign->public_update == PUBLIC_UPDATE_ALL ||
	       (campaign->public_update == PUBLIC_UPDATE_OWN && visitor == VISITOR_OWNER);
}

bool
visitor_repetition_counts(const struct campaign *campaign, enum visitor visitor)
{
	return campaign->public_update == PUBLIC_UPDATE_OWN || visitor_may_change(campaign, visitor);
}

bool
campaign_hides_unverified(const struct campaign *campaign)
{
	return campaign->public_lookup != PUBLIC_LOOKUP_ALL && campaign_verifies(campaign);
}

bool
campaign_counts_verified(const struct campaign *campaign)
{
	return campaign->require_verification || campaign_hides_unverified(campaign);
}

bool
campaign_verifies(const struct campaign *campaign)
{
	return campaign->verify_email || campaign->verify_phone;
}

bool
stranger_may_add_address(const struct campaign *campaign)
{
	return !campaign->verify_phone;
}

bool
campaign_defers_numbers(const struct campaign *campaign)
{
	return campaign->verify_email && !visitor_may_see(campaign, LEAD_BY_EMAIL, VISITOR_STRANGER);
}

bool
campaign_matches_by_number(const struct campaign *campaign)
{
	return campaign->verify_phone && !campaign->verify_email;
}

bool
visitor_matches_number(const struct campaign *campaign, const struct lead *owner, struct slice email_key, enum visitor visitor)
{
	const bool owns = visitor == VISITOR_OWNER;
	if (slice_present(owner->email_key) && !(owns && lead_claims(owner, CHANNEL_EMAIL)))
		return slice_equal(owner->email_key, email_key);
	return visitor_may_change(campaign, visitor) && visitor_may_see(campaign, LEAD_BY_PHONE, VISITOR_STRANGER) &&
	       (owns || stranger_may_add_address(campaign));
}

bool
stranger_names_person(const struct campaign *campaign, const struct lead *lead, struct slice email_key, struct slice phone)
{
	const bool by_email = slice_equal(email_key, lead->email_key), by_phone = slice_equal(phone, lead->phone);
	if (!campaign_verifies(campaign) || !slice_present(lead->email_key) || !slice_present(lead->phone) ||
	    (by_email && by_phone))
		return true;
	if (lead->claimed != CLAIM_NONE)
		return !lead_claims(lead, by_email ? CHANNEL_EMAIL : CHANNEL_PHONE);
	const bool verified = by_email ? lead->verified_email : lead->verified_phone,
		   verified_other = by_email ? lead->verified_phone : lead->verified_email;
	return by_email != campaign_matches_by_number(campaign) && (verified || !verified_other);
}

bool
campaign_mails_known_leads(const struct campaign *campaign)
{
	return (campaign->mails & MESSAGE_BIT(MESSAGE_STATUS_LINK)) != 0;
}

bool
campaign_proves_by_mail(const struct campaign *campaign)
{
	return campaign_mails_known_leads(campaign) && campaign_mails_new_leads(campaign);
}

bool
campaign_mails_new_leads(const struct campaign *campaign)
{
	return campaign->verify_email || (campaign->mails & MESSAGE_BIT(MESSAGE_WELCOME)) != 0;
}

/* A withheld lead that has opted out ends the opt-out by confirming, not by a call that anyone could have sent, even in a
 * campaign whose leads need not confirm. */
enum message_kind
lead_mail_to_owner(const struct campaign *campaign, const struct lead *lead, enum lead_showing showing)
{
	const bool is_linked = showing == WITHHELD && campaign_mails_known_leads(campaign);
	const bool confirms =
	    (campaign->verify_email && !lead->verified_email) || ((campaign->verify_email || is_linked) && lead->opted_out);
	if (confirms)
		return MESSAGE_VERIFY;
	return is_linked ? MESSAGE_STATUS_LINK : MESSAGE_KINDS;
}

bool
lead_claim_gets_no_link(const struct campaign *campaign, const struct lead *lead, enum lead_channel channel)
{
	const bool is_first = channel == CHANNEL_EMAIL && !lead->verified_phone && !campaign->verify_phone;
	return lead_claims(lead, channel) && !is_first;
}

bool
lead_page_is_mailed(const struct campaign *campaign, const struct lead *lead)
{
	return slice_present(lead->email_key) && !lead_claim_gets_no_link(campaign, lead, CHANNEL_EMAIL) &&
	       !campaign_matches_by_number(campaign);
}

struct slice
lead_waiting_number(struct pool *pool, const struct campaign *campaign, const struct lead *lead)
{
	const struct slice name = UNCONFIRMED_NUMBER;
	struct slice typed, number;
	if (!campaign_defers_numbers(campaign))
		return SLICE_NONE;
	custom_fields_texts(pool, lead->custom_fields, &name, 1, &typed);
	return slice_present(typed) && phone_parse(pool, typed, SLICE_NONE, &number) ? number : SLICE_NONE;
}

/* The email address decides, unless it is a claim, which proves nothing; if only numbers are verified, the number does. */
bool
lead_is_passed_on(const struct campaign *campaign, const struct lead *lead, enum lead_channel channel)
{
	const bool by_email = channel == CHANNEL_EMAIL;
	const bool number_decides =
	    campaign_matches_by_number(campaign) && slice_present(lead->phone) && !lead_claims(lead, CHANNEL_PHONE);
	const bool decides = number_decides
				 ? !by_email
				 : by_email || !lead->verified_email || lead_claim_gets_no_link(campaign, lead, CHANNEL_EMAIL);
	return lead->shared && decides && !lead_claim_gets_no_link(campaign, lead, channel) &&
	       (lead->proven & CHANNEL_BIT(channel)) == 0;
}

bool
campaign_mails_codes(const struct campaign *campaign)
{
	return campaign->verify_email || campaign->bots == BOTS_PROOF_OR_CONFIRM;
}

bool
campaign_lists_host(struct pool *pool, const struct campaign *campaign, struct slice host)
{
	if (!slice_present(host))
		return false;
	if (host_list_text_contains(campaign->hosts, host))
		return true;
	return slice_present(campaign->landing_url) && slice_equal(link_host(pool, campaign->landing_url), host);
}
