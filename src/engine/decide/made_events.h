/* SPDX-License-Identifier: MIT
 * The events and deliveries of a command (docs/api.md 4.7). */
#pragma once

#include "engine/decide/step.h"

/* Makes events and deliveries from the occurrences, in the order of docs/api.md 4.7. Returns the snapshot of `answer`; NULL if
 * that is NULL. */
struct snapshot *step_make_events(struct step *step, struct working_lead *answer);
/* Return the JSON of the extra field of an event, in the pool. */
struct slice event_extra_score(struct pool *pool, uint32_t previous, uint32_t current, enum score_reason reason);
struct slice event_extra_referral(struct pool *pool, const struct lead *referred);
struct slice event_extra_tagged(struct pool *pool, const struct tag *tag, const struct campaign *campaign);
struct slice event_extra_reward(struct pool *pool, const struct reward_level *level);
