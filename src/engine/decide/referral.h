/* SPDX-License-Identifier: MIT
 * The referrers of a lead, their counts and their credit (docs/api.md 4.6, Chain and Credit). */
#pragma once

#include "engine/decide/step.h"

/* Makes the links of a new lead to its referrer and to the referrers above. */
void step_add_referral(struct step *step, struct working_lead *lead, struct working_lead *referrer);
/* The referrer (level 1), its referrer (2), …; NULL: there is none. */
struct working_lead *step_find_ancestor(const struct step *step, const struct working_lead *lead, unsigned level);
/* Updates the counts and the credit of the lead's referrers after a change of its state. `reason` is SCORE_REFERRAL (it signed
 * up or was verified) or SCORE_APPROVE. */
void step_update_referral(struct step *step, struct working_lead *lead, enum score_reason reason);
/* Likewise, for a referral that counts now but may not have counted before the campaign's settings changed. */
void step_catch_up_referral(struct step *step, struct working_lead *lead);
/* How far up a change goes: usually a deleted referrer ends the chain. */
enum referral_reach { UP_TO_DELETED, PAST_DELETED };
/* The referral no longer counts, and its credit is taken back (SCORE_FRAUD), because the lead was flagged or deletes itself. */
void step_take_back_referral(struct step *step, struct working_lead *lead, enum referral_reach reach);
/* Call it after that for a lead that deletes itself: what could not be taken back is set off against its referrers' later
 * credit. */
void step_owe_referral(struct step *step, struct working_lead *lead);
/* Updates only the counts: credit that was given stays. */
void step_recount_referral(struct step *step, struct working_lead *lead);
