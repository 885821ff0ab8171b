/* SPDX-License-Identifier: MIT
 * Ends a command: derives what follows from how it changed leads. */
#pragma once

#include "engine/decide/step.h"

/* For a command that did not fail: updates the counters and the histogram and makes the events. Returns the snapshot of
 * `answer`; NULL if that is NULL. */
struct snapshot *step_settle(struct step *step, struct working_lead *answer);
