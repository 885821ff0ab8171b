/* SPDX-License-Identifier: MIT
 * Fraud flags: set at sign-up or by hand, and cleared later (docs/api.md 4.6, Fraud flags). */
#pragma once

#include "engine/decide/step.h"

/* Returns the flags of a new lead as a JSON array, or absent. `referrer` may be NULL. */
struct slice step_fraud_flags(
    struct step *step, const struct signup *signup, const struct lead *lead, const struct working_lead *referrer);
/* Another person may have signed the lead up first. So when a visitor signs it up again, the flags that the lead got for the
 * circumstances of its first sign-up are removed if they do not apply to this one, and its referral is updated. A circumstance
 * that the call does not state removes no flag. The lead then counts for the network address of this sign-up, even if the
 * address would otherwise show that the lead is not new. */
void step_judge_repeated_signup(struct step *step, struct working_lead *lead, const struct signup *signup);
/* After a change of the email address: replaces the flags for the former address with those for the new one, if any, and
 * updates the referral as step_block and step_approve do. */
void step_judge_address(struct step *step, struct working_lead *lead);
/* Likewise for an address set by a caller that may set addresses, which gives no flags. */
void step_trust_address(struct step *step, struct working_lead *lead);
/* Removes the flag `unproven` of a lead that is being verified. If it was the only one, the lead is no longer fraudulent, and
 * the caller updates its referral. */
void step_clear_unproven(struct step *step, struct working_lead *lead);
/* Flags the lead by hand; without a reason, or with one that would end by itself, also as `manual`. */
void step_block(struct step *step, struct working_lead *lead, struct slice reason);
/* Removes all flags, and restores the referral. */
void step_approve(struct step *step, struct working_lead *lead);
