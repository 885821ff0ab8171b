/* SPDX-License-Identifier: MIT
 * Points, actions, and the changes of bulk calls (docs/api.md 4.1, 4.6). On failure these call step_fail. */
#ifndef LEADHOOK_ENGINE_DECIDE_DECIDE_CHANGE_H
#define LEADHOOK_ENGINE_DECIDE_DECIDE_CHANGE_H

#include "engine/decide/step.h"

void decide_points(struct step *step);
void decide_completion(struct step *step);
/* Returns the lead that the answer shows, or NULL. */
struct working_lead *decide_change(struct step *step);

#endif
