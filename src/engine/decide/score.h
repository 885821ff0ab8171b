/* SPDX-License-Identifier: MIT
 * Points, tags, actions and reward levels (docs/api.md 4.6). */
#ifndef LEADHOOK_ENGINE_DECIDE_SCORE_H
#define LEADHOOK_ENGINE_DECIDE_SCORE_H

#include "engine/decide/step.h"

struct booking {
	enum score_reason reason;
	uint64_t ref;
	uint32_t round;
	int64_t points;
	struct slice message;
};
/* Books points, unless they are 0 or the campaign has ended. Returns the actual change of the score. */
int64_t step_book(struct step *step, struct working_lead *lead, const struct booking *booking);
/* Books what is due to the lead for its sign-up, or leaves it until the lead is verified. */
void step_book_signup(struct step *step, struct working_lead *lead);
/* Adds a tag; does nothing when the lead has it. */
void step_tag(struct step *step, struct working_lead *lead, const struct tag *tag);
/* Completes an action; does nothing when the lead has done so. `message`: of the booking, or absent. */
void step_complete(struct step *step, struct working_lead *lead, const struct action *action, struct slice message);
/* Adds the reward levels that its score has reached for the first time. */
void step_reward(struct step *step, struct working_lead *lead);

#endif
