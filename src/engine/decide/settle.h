/* SPDX-License-Identifier: MIT
 * Ends a command: derives what follows from how it changed leads. */
#pragma once

#include "engine/decide/step.h"

/* For a command that did not fail: updates the counters and the histogram and makes the events. Returns the snapshot of
 * `answer`; NULL if that is NULL. */
struct snapshot *step_settle(struct step *step, struct working_lead *answer);

/* Return the JSON of the extra field of an event, in the pool. */
struct slice event_extra_score(struct pool *pool, uint32_t previous, uint32_t current, enum score_reason reason);
struct slice event_extra_referral(struct pool *pool, const struct lead *referred);
struct slice event_extra_tagged(struct pool *pool, const struct tag *tag, const struct campaign *campaign);
struct slice event_extra_reward(struct pool *pool, const struct reward_level *level);
