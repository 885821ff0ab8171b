/* SPDX-License-Identifier: MIT
 * The slots of a dispatcher. A delivery has one from its claim until its outcome is committed: unused → sending → ended →
 * unused. Their number is what a kill at the worst moment can send twice. No I/O, no clock. */
#ifndef LEADHOOK_DELIVER_SLOTS_H
#define LEADHOOK_DELIVER_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "core/retry.h"
#include "deliver/sender.h"
#include "store/dispatch.h"

struct slots;
struct slot;

struct slots *slots_new(size_t count);
/* *slots may be NULL, becomes NULL. */
void slots_free(struct slots **slots);

size_t slots_unused(const struct slots *slots);
size_t slots_sending(const struct slots *slots);
size_t slots_ended(const struct slots *slots);
/* The one whose attempt ended first, or NULL. */
struct slot *slots_first_ended(const struct slots *slots);

/* Times are those of one clock that never goes back. More deliveries than unused slots are a defect and end the process. */
struct slot *slots_take(struct slots *slots, const struct due_delivery *delivery, int64_t now_ms);
/* The attempt is done; what of `result` is needed is copied. */
void slot_end(struct slot *slot, const struct attempt_result *result, const struct retry_decision *decision, int64_t now_ms);
/* The outcome is committed, or given up. */
void slot_release(struct slot *slot);

/* Lives until slot_release: what is sent belongs there. */
struct pool *slot_pool(struct slot *slot);
struct slice slot_event(const struct slot *slot);
int64_t slot_ended_ms(const struct slot *slot);
/* What is to be recorded. Its times count from now, which may be long after the attempt when the database was away. Texts
 * live until slot_release. */
struct delivery_outcome slot_outcome(const struct slot *slot, int64_t now_ms);
/* Those of the attempts that ended first, up to `capacity`; answers how many. */
size_t slots_outcomes(const struct slots *slots, int64_t now_ms, struct delivery_outcome *outcomes, size_t capacity);

#endif
