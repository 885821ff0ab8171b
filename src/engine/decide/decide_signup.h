/* SPDX-License-Identifier: MIT
 * Sign-ups, also those that tag the lead. On failure these call step_fail and return NULL. */
#pragma once

#include "engine/decide/step.h"

/* Returns the lead that signed up. */
struct working_lead *decide_signup(struct step *step);
/* Returns the lead that was tagged. */
struct working_lead *decide_tagging(struct step *step);
