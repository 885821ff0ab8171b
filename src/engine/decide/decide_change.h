/* SPDX-License-Identifier: MIT
 * Points, actions, and the changes of bulk calls (docs/api.md 4.1, 4.6). On failure these call step_fail. */
#pragma once

#include "engine/decide/step.h"

void decide_points(struct step *step);
void decide_completion(struct step *step);
/* Returns the lead that the answer shows, or NULL. */
struct working_lead *decide_change(struct step *step);
