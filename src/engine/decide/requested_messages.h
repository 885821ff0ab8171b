/* SPDX-License-Identifier: MIT
 * The messages that a command requests (docs/api.md 4.1.12). They are composed and sent later. */
#pragma once

#include "engine/decide/step.h"

/* Requests a mail if this installation, the campaign and the lead permit it; otherwise returns false. `ref` is what it is
 * about, or 0 (enum message_kind). */
bool step_request_mail(struct step *step, const struct working_lead *lead, enum message_kind kind, uint64_t ref);
/* Requests the mail about a referral that counts for the first time, or notes it for the next digest. */
void step_mail_referral(struct step *step, struct working_lead *referrer, struct referral_link *link);
/* Requests the mail that a new lead gets. */
void step_mail_welcome(struct step *step, const struct working_lead *lead);
/* Requests the mail that a lead gets when it signs up again without its token. WITHHELD: it needs the link to its page, because
 * the answer does not show the lead, or because its former link is no longer valid. */
void step_mail_repeated_signup(struct step *step, const struct working_lead *lead, enum lead_showing showing);
/* Makes the mails due that waited until the lead confirmed its email address. */
void step_release_mails(struct step *step, const struct working_lead *lead);
/* Whether each sign-up with an email address is followed by a mail with the link to the lead's page. */
bool step_proves_by_mail(const struct step *step);
/* Whether each sign-up with a phone number is followed by a text with a code. */
bool step_proves_by_text(const struct step *step);
/* Requests that text, if the lead needs one and may get it. Call it once the outcome records whether the lead is withheld. */
void step_text_code(struct step *step, const struct signup *signup, const struct working_lead *lead);
