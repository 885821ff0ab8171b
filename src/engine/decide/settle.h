/* SPDX-License-Identifier: MIT
 * Ends a command: derives what follows from how it changed leads. */
#ifndef LEADHOOK_ENGINE_DECIDE_SETTLE_H
#define LEADHOOK_ENGINE_DECIDE_SETTLE_H

#include "engine/decide/step.h"

/* Ends a command that did not fail: counters, histogram, events. Returns the snapshot of `answer`, or NULL without one. */
struct snapshot *step_settle(struct step *step, struct working_lead *answer);

#endif
