/* SPDX-License-Identifier: MIT
 * The messages that a command requests (docs/api.md 4.1.12). They are composed and sent later. */
#ifndef LEADHOOK_ENGINE_DECIDE_REQUESTED_MESSAGES_H
#define LEADHOOK_ENGINE_DECIDE_REQUESTED_MESSAGES_H

#include "engine/decide/step.h"

/* Requests a mail, if this installation, the campaign and the lead permit it; else
 * returns false. */
bool step_request_mail(struct step *step, const struct working_lead *lead, enum message_kind kind, uint64_t ref);
/* The mail about a referral that counts for the first time, or its place in a digest. */
void step_mail_referral(struct step *step, struct working_lead *referrer, struct referral_link *link);
/* Requests what a lead gets that signed up for the first time, and again without proof that it is the lead. `needs_link`: the
 * answer does not show it, or the link to its page has ended. */
void step_mail_welcome(struct step *step, const struct working_lead *lead);
void step_mail_repetition(struct step *step, const struct working_lead *lead, bool needs_link);
/* Makes the mails due that waited until the lead has confirmed its email address. */
void step_release_mails(struct step *step, const struct working_lead *lead);
/* Whether each sign-up with an email address is followed by a mail with the link to the lead's page. */
bool step_proves_by_mail(const struct step *step);
/* Whether each sign-up with a phone number is followed by a code to that phone. */
bool step_proves_by_text(const struct step *step);
/* Requests that code; the outcome says whether the lead is withheld. */
void step_text_code(struct step *step, const struct signup *signup, const struct working_lead *lead);

#endif
