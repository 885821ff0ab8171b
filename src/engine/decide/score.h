/* SPDX-License-Identifier: MIT
 * Points, tags, actions and reward levels (docs/api.md 4.6). */
#pragma once

#include "engine/decide/step.h"

struct booking {
	enum score_reason reason;
	uint64_t ref;
	uint32_t round;
	int64_t points;
	struct slice message;
};
/* Books points, unless they are 0 or the campaign has ended. Returns by how much the score changed, which is less at its
 * limits. */
int64_t step_book_points(struct step *step, struct working_lead *lead, const struct booking *booking);
/* Books the points that are due for the lead's sign-up, unless they wait until the lead is verified. */
void step_book_signup_points(struct step *step, struct working_lead *lead);
/* Adds a tag, with its points and the actions that it completes; does nothing if the lead has it. */
void step_add_tag(struct step *step, struct working_lead *lead, const struct tag *tag);
/* Completes an action; does nothing if the lead has already completed it. `message` is the message of the booking, or
 * absent. */
void step_complete_action(struct step *step, struct working_lead *lead, const struct action *action, struct slice message);
/* Adds the reward levels that the score has reached for the first time. */
void step_add_rewards(struct step *step, struct working_lead *lead);
