/* SPDX-License-Identifier: MIT
 * Fraud flags: set at sign-up or by hand, and cleared later (docs/api.md 4.6, Fraud flags). */
#ifndef LEADHOOK_ENGINE_DECIDE_FRAUD_H
#define LEADHOOK_ENGINE_DECIDE_FRAUD_H

#include "engine/decide/step.h"

/* Returns the flags of a new lead: a JSON array, or absent. `referrer`: NULL: none. */
struct slice step_fraud_flags(
    struct step *step, const struct signup *signup, const struct lead *lead, const struct working_lead *referrer);
/* Removes the flags that the lead has by what its first sign-up came with, if a visitor signs it up again and would not get
 * them, and updates its referral: another person may have signed it up first. What the call does not say of the visitor removes
 * no flag. The lead is then one of the address of this sign-up, also where the address would otherwise show that no lead is
 * new. */
void step_judge_again(struct step *step, struct working_lead *lead, const struct signup *signup);
/* Replaces the flags that the lead has by its former email address by those of the one that it has now, or of none, and updates
 * its referral as step_block and step_approve do. `is_trusted`: set by a caller that sets addresses, it brings no flag. */
void step_judge_address(struct step *step, struct working_lead *lead, bool is_trusted);
/* Whether that is its only flag: it waits to be verified. */
bool step_is_unproven(const struct working_lead *lead);
/* Removes the flag `unproven` of a lead that is being verified. Without others it is not fraudulent any more; the caller
 * updates its referral. */
void step_clear_unproven(struct step *step, struct working_lead *lead);
void step_block(struct step *step, struct working_lead *lead, struct slice reason);
void step_approve(struct step *step, struct working_lead *lead);

#endif
