/* SPDX-License-Identifier: MIT
 * What callers without a key may see and change (docs/api.md 4.1.11), and how forms are answered (docs/api.md 4.1.10). The
 * numbers of these settings are stored. */
#pragma once

#include "engine/command.h"
#include "engine/message.h"
#include "engine/model.h"

/* How a form is answered if its request does not specify it. */
enum form_answer { FORM_ANSWER_AUTO, FORM_ANSWER_JSON, FORM_ANSWER_REDIRECT, FORM_ANSWERS };
/* Which leads a visitor may see: all, those whose social id it names, its own, none. */
enum public_lookup { PUBLIC_LOOKUP_ALL, PUBLIC_LOOKUP_SOCIAL_ID, PUBLIC_LOOKUP_OWN, PUBLIC_LOOKUP_NONE, PUBLIC_LOOKUPS };
/* Which leads a repeated sign-up may change. Other repeated sign-ups are only counted; with NONE they are not even counted. */
enum public_update { PUBLIC_UPDATE_ALL, PUBLIC_UPDATE_OWN, PUBLIC_UPDATE_NONE, PUBLIC_UPDATES };
/* What a sign-up without a key needs (docs/api.md 8). */
enum campaign_bots { BOTS_OFF, BOTS_HONEYPOT, BOTS_PROOF, BOTS_PROOF_OR_CONFIRM, CAMPAIGN_BOTS };

/* The words of these settings, in the order of their numbers. */
extern const struct slice form_answer_names[FORM_ANSWERS], public_lookup_names[PUBLIC_LOOKUPS],
    public_update_names[PUBLIC_UPDATES], campaign_bots_names[CAMPAIGN_BOTS];

/* What a visitor, a caller without a key, is to a lead. The owner has the lead's token. */
enum visitor { VISITOR_STRANGER, VISITOR_OWNER };

/* Whether the visitor may see a lead that it names in this way. */
bool visitor_may_see(const struct campaign *campaign, enum lead_identity identity, enum visitor visitor);
/* Whether a repeated sign-up by the visitor may change the lead. */
bool visitor_may_change(const struct campaign *campaign, enum visitor visitor);
/* Whether a repeated sign-up by the visitor counts. */
bool visitor_repetition_counts(const struct campaign *campaign, enum visitor visitor);
/* Whether a stranger may add an address to a lead, as a claim. Never if phone numbers are verified. */
bool stranger_may_add_address(const struct campaign *campaign);
/* Whether a sign-up by the visitor with this email address (a key) matches `owner`, the lead that has its phone number
 * (docs/api.md 4.3).
 *
 * If that lead has another email address, it does not match: a stranger could otherwise store the number with another address
 * and receive the sign-ups of the number's owner. If it has none, it matches if the address may be added, because the sign-up
 * would otherwise be lost, and if look-ups show addresses, because the answer would otherwise show whether the address belongs
 * to another lead. */
bool visitor_matches_number(
    const struct campaign *campaign, const struct lead *owner, struct slice email_key, enum visitor visitor);
/* Whether a sign-up with these addresses (a key, and a number in E.164) may come from the person of the lead
 * (docs/api.md 4.1.11, Verified campaigns). One of a lead's two addresses may be another person's. So the sign-up needs both,
 * or the address that decides, unless only the other one is verified. */
bool stranger_names_person(
    const struct campaign *campaign, const struct lead *lead, struct slice email_key, struct slice phone);

/* Whether leads of the campaign verify an address, and so belong to the person who does (docs/api.md 4.1.11, Verified
 * campaigns). */
bool campaign_verifies(const struct campaign *campaign);
/* Whether a number that a stranger enters together with an email address waits until that address is confirmed, if the
 * installation sends mail (docs/api.md 4.1.11, New number). */
bool campaign_defers_numbers(const struct campaign *campaign);
/* Whether the phone number of a sign-up, and not its email address, decides which lead it is: only numbers are verified. */
bool campaign_matches_by_number(const struct campaign *campaign);
/* Whether visitors see nothing that depends on unverified leads (docs/api.md 4.1.11). Otherwise a visitor could sign up with an
 * address, see whether the counts change, and so learn whether the address already has a lead. */
bool campaign_hides_unverified(const struct campaign *campaign);
/* Whether referrals count only when the referred lead is verified. */
bool campaign_counts_verified(const struct campaign *campaign);

/* Whether a withheld lead gets a mail when it signs up again, if the installation sends mail. */
bool campaign_mails_known_leads(const struct campaign *campaign);
/* Whether the first mail to a new lead contains the link to its page, or leads there. */
bool campaign_mails_new_leads(const struct campaign *campaign);
/* Whether both are true, so that the answers for new and known leads need not differ. */
bool campaign_proves_by_mail(const struct campaign *campaign);
/* Whether leads confirm their email address with the link or the code of a mail, if the installation sends mail. */
bool campaign_mails_codes(const struct campaign *campaign);

/* Which mail goes to a lead's email address when a caller acts for the lead without its token, if the installation sends mail:
 * the one that confirms the address, or, when the lead is WITHHELD from the caller, the one with the link to its page.
 * MESSAGE_KINDS: none. */
enum message_kind lead_mail_to_owner(const struct campaign *campaign, const struct lead *lead, enum lead_showing showing);

/* Whether the address of this channel is a claim that leads to no page, and to which no mail with the link is sent
 * (docs/api.md 4.1.11, Claim). A claimed email address does lead there if the number stored with it is not verified and cannot
 * be verified in this campaign. */
bool lead_claim_gets_no_link(const struct campaign *campaign, const struct lead *lead, enum lead_channel channel);

/* Whether the lead's page is reached by a mail to its email address rather than by a code to its phone. The number's owner need
 * not have that email address, unless only the number decides. */
bool lead_page_is_mailed(const struct campaign *campaign, const struct lead *lead);

/* The number that a stranger entered together with the lead's email address (docs/api.md 4.1.11, New number), in the pool;
 * absent: none. Callers with a key, and visitors to campaigns where numbers do not wait, can send any value under the name of
 * that field: only a valid number counts, and only if numbers wait. */
struct slice lead_waiting_number(struct pool *pool, const struct campaign *campaign, const struct lead *lead);

/* Whether the lead passes to the person who verifies its address of this channel with a code or a link that was sent there
 * (docs/api.md 4.1.11, Another owner): its tokens end. */
bool lead_is_passed_on(const struct campaign *campaign, const struct lead *lead, enum lead_channel channel);

/* Whether pages on this host (lower-case A-labels; absent: no host) belong to the campaign: one of its `hosts`, a subdomain of
 * them, or the host of its `landing_url`. */
bool campaign_lists_host(struct pool *pool, const struct campaign *campaign, struct slice host);
