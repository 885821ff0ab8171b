/* SPDX-License-Identifier: MIT
 * Imports: a lead of another service becomes a lead of the campaign (leadhook(1), lead import). */
#pragma once

#include "engine/decide/step.h"

/* Adds the lead. An existing one gets only missing tags and opt-outs, so an import can be repeated. Calls step_fail on
 * failure. */
void decide_import(struct step *step);
