/* SPDX-License-Identifier: MIT
 * What callers without a key may see and change (docs/api.md 4.1.11), and how forms are answered (4.1.10). A caller that has a
 * lead's token owns the lead. The numbers of these settings are stored. */
#ifndef LEADHOOK_ENGINE_STRANGERS_H
#define LEADHOOK_ENGINE_STRANGERS_H

#include "engine/command.h"
#include "engine/message.h"
#include "engine/model.h"

/* Where the request of a form does not say how it is answered. */
enum form_answer { FORM_ANSWER_AUTO, FORM_ANSWER_JSON, FORM_ANSWER_REDIRECT, FORM_ANSWERS };
/* Which leads may be seen: all, those whose social id the caller names, its own, none. */
enum public_lookup { PUBLIC_LOOKUP_ALL, PUBLIC_LOOKUP_SOCIAL_ID, PUBLIC_LOOKUP_OWN, PUBLIC_LOOKUP_NONE, PUBLIC_LOOKUPS };
/* Which leads a repeated sign-up may change. Others are only counted, or with NONE not even that. */
enum public_update { PUBLIC_UPDATE_ALL, PUBLIC_UPDATE_OWN, PUBLIC_UPDATE_NONE, PUBLIC_UPDATES };
/* What a sign-up without a key needs (docs/api.md 8). */
enum campaign_bots { BOTS_OFF, BOTS_HONEYPOT, BOTS_PROOF, BOTS_PROOF_OR_CONFIRM, CAMPAIGN_BOTS };

/* The words of these settings, in the order of their numbers. */
extern const struct slice form_answer_names[FORM_ANSWERS], public_lookup_names[PUBLIC_LOOKUPS],
    public_update_names[PUBLIC_UPDATES], campaign_bots_names[CAMPAIGN_BOTS];

/* Whether a lead that is named in this way may be seen. */
bool stranger_may_see(const struct campaign *campaign, enum lead_identity identity, bool owns);
/* Whether a repeated sign-up may change the lead, and whether it counts. */
bool stranger_may_change(const struct campaign *campaign, bool owns);
bool stranger_may_count(const struct campaign *campaign, bool owns);
/* Whether the campaign's leads prove an address, so that a lead belongs to the person that proves it (4.1.11, Verified
 * campaigns). */
bool campaign_verifies(const struct campaign *campaign);
/* Whether an address may be added to a lead, as a claim: not where numbers are proven. */
bool stranger_may_add(const struct campaign *campaign);
/* Whether a number that a stranger enters beside an email address waits until the address is confirmed (New number). */
bool campaign_defers_numbers(const struct campaign *campaign, bool sends_mail);
/* Whether of the email address and the number of a sign-up the number decides which lead it is: it alone is proven. */
bool campaign_matches_by_number(const struct campaign *campaign);
/* Whether a sign-up with this email address (a key) matches the owner of its phone number (4.3). The number of a lead with
 * another address does not match: a stranger could else store the number with another address and receive the sign-up of the
 * number's owner. That of a lead without one matches only where the address may be added to it, else the sign-up would be lost,
 * and where addresses are shown, else the answer would show whether the address is another lead's. */
bool stranger_matches_number(const struct campaign *campaign, const struct lead *owner, struct slice email_key, bool owns);
/* Whether a sign-up with these addresses (a key, and a number in E.164) may be that of the person whose lead it is (4.1.11,
 * Verified campaigns). Of a lead with two addresses, one may be another person's: it needs both, or the one that decides and
 * that no proof of the other one has overruled. */
bool stranger_names_person(
    const struct campaign *campaign, const struct lead *lead, struct slice email_key, struct slice phone);

/* Whether strangers see nothing that depends on leads which are not verified (4.1.11): else it would change with the sign-up of
 * an address that no lead has, and with that of no other. */
bool campaign_hides_unverified(const struct campaign *campaign);
/* Whether a referral counts when the lead is verified. */
bool campaign_counts_verified(const struct campaign *campaign);

/* Whether a lead that signs up again and is not shown is sent a mail, if the installation sends mail; whether a new one is,
 * too, so that the answers need not differ. */
bool campaign_mails_known_leads(const struct campaign *campaign);
bool campaign_proves_by_mail(const struct campaign *campaign);
/* Whether the first mail of a new lead has the link to its page, or leads there. */
bool campaign_mails_new_leads(const struct campaign *campaign);
/* Which mail the owner of a lead's email address gets when someone acts for the lead who has not proven to be that owner, and
 * the installation sends mail: the one that confirms the address, or, if the lead is withheld from the caller, the link to its
 * page. False: none. */
MUST_CHECK bool stranger_mails(
    const struct campaign *campaign, const struct lead *lead, bool withheld, enum message_kind *kind);

/* Whether its address of this channel is a claim that leads to no page, and gets no mail that does (4.1.11, Claim). An email
 * address beside a number that is not proven, and cannot be in this campaign, does. */
bool lead_claim_stands(const struct campaign *campaign, const struct lead *lead, enum lead_channel channel);

/* Whether the page of the lead is reached by a mail to its email address, and not by a code for its number. The owner of the
 * number need not have the address, unless the number alone decides. */
bool lead_page_is_mailed(const struct campaign *campaign, const struct lead *lead);

/* The number that a stranger has entered beside the lead's email address (4.1.11, New number), in the pool or the lead's;
 * absent: none. Callers with a key, and visitors where numbers do not wait, can send the field by its name, with any value:
 * only a valid number counts, and only in a campaign where numbers wait. */
struct slice lead_waiting_number(struct pool *pool, const struct campaign *campaign, const struct lead *lead);

/* Whether the lead becomes that of the person that proves its address of this channel, by a code or a link that was sent there
 * (4.1.11, Another owner): its tokens end. */
bool lead_is_passed_on(const struct campaign *campaign, const struct lead *lead, enum lead_channel channel);

/* Whether the campaign's leads confirm their email address by the link or the code of a mail, where mail is set up. */
bool campaign_mails_codes(const struct campaign *campaign);

/* Whether a page on this host (lower-case A-labels; absent: none) is one of the campaign's: of its `hosts`, with their
 * subdomains, or of its `landing_url`. */
bool campaign_lists_host(struct pool *pool, const struct campaign *campaign, struct slice host);

#endif
