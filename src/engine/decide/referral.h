/* SPDX-License-Identifier: MIT
 * The referrers of a lead, their counts and their credit (docs/api.md 4.6, Chain and Credit). */
#ifndef LEADHOOK_ENGINE_DECIDE_REFERRAL_H
#define LEADHOOK_ENGINE_DECIDE_REFERRAL_H

#include "engine/decide/step.h"

void step_refer(struct step *step, struct working_lead *lead, struct working_lead *referrer);
/* The referrer (1), its referrer (2), …; NULL: there is none. */
struct working_lead *step_ancestor(const struct step *step, const struct working_lead *lead, unsigned level);
/* Updates the counts and the credit of the lead's referrers after a change of its state. `reason` is SCORE_REFERRAL (signed up
 * or verified) or SCORE_APPROVE (approved). */
void step_update_referral(struct step *step, struct working_lead *lead, enum score_reason reason);
/* The same where the referral counts: it may not have done so before the campaign's settings changed. */
void step_settle_referral(struct step *step, struct working_lead *lead);
/* The referral does not count any more, and its credit is taken back (SCORE_FRAUD): the lead was flagged, or deletes itself.
 * `past_deleted`: also of the referrers beyond one that was deleted, which ends the chain of other changes. */
void step_take_back_referral(struct step *step, struct working_lead *lead, bool past_deleted);
/* After that, of a lead that deletes itself: what could not be taken back is set off against later credit of its referrers. */
void step_owe_referral(struct step *step, struct working_lead *lead);
/* Updates the counts only: credit already given stays. */
void step_recount_referral(struct step *step, struct working_lead *lead);

#endif
