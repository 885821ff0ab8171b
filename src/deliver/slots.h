/* SPDX-License-Identifier: MIT
 * The slots of a dispatcher. A delivery occupies one from the moment it is fetched until its outcome is committed: unused →
 * fetched → sending → ended (→ postponed, rejected) → unused. It is under way in all but the first two states; the number of
 * slots in the others limits how many deliveries a kill at the worst moment can cause to be sent twice. No I/O and no clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/pool.h"
#include "deliver/send/sender.h"
#include "os/clock.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/outcomes.h"
#include "webhook/retry.h"

enum slot_state {
	SLOT_UNUSED,
	SLOT_FETCHED,
	SLOT_SENDING,
	SLOT_ENDED,
	SLOT_OUTCOME_POSTPONED,
	SLOT_OUTCOME_REJECTED,
	SLOT_STATES
};

struct slots;

/* Only slots.c changes a slot, except for its `next`. */
struct slot {
	struct slots *slots;
	size_t place; /* its index, below the number of slots */
	enum slot_state state;
	struct pool *pool;            /* memory of the request; freed by slot_release */
	struct due_delivery delivery; /* valid from slots_take to slot_release */
	struct destination destination;
	const struct retry_schedule *schedule;
	struct delivery_outcome outcome; /* as of since_ms */
	int64_t since_ms;                /* when it was fetched, started, ended or rejected, whichever is latest */
	uint64_t end_number;             /* increases with each attempt that ends */
	bool unknown;                    /* the outcome may already have been recorded */
	struct slot *next;               /* next in a list of the caller; NULL after slots_take */
	TAILQ_ENTRY(slot) list;
};

struct slots *slots_new(size_t count);
void slots_free(struct slots **slots);

/* The number of slots in the state. */
size_t slots_in(const struct slots *slots, enum slot_state state);
/* The slot that has been in this state for the longest time, or NULL. */
struct slot *slots_first(const struct slots *slots, enum slot_state state);
/* The number of slots with a delivery, and of those with a delivery under way. */
size_t slots_used(const struct slots *slots);
size_t slots_under_way(const struct slots *slots);
/* The deliveries in slots. */
struct id_set slots_ids(const struct slots *slots, struct pool *pool);

/* Copies the delivery into an unused slot. All times are those of one monotonic clock. Taking more slots than are unused is a
 * defect and ends the process. */
struct slot *slots_take(struct slots *slots, const struct due_delivery *delivery, int64_t now_ms);
/* The attempt begins. `schedule`, for retries, must stay valid until slot_release. */
void slot_start(struct slot *slot, const struct retry_schedule *schedule, int64_t now_ms);

/* The attempt is done. Times of the outcome are relative to now, except started_ms_ago, which is set here. The answer is
 * copied. */
void slot_end(struct slot *slot, const struct delivery_outcome *outcome, int64_t now_ms);
/* The outcome is committed or discarded, or the delivery was not sent. */
void slot_release(struct slot *slot);
/* Postpones an outcome that another transaction blocks: it is recorded after all outcomes that are already postponed. */
void slot_postpone_outcome(struct slot *slot);
/* The outcome cannot be recorded. The delivery is not sent again until the slot is released. */
void slot_reject_outcome(struct slot *slot, int64_t now_ms);
/* Postpones ended slots of webhooks that have postponed outcomes: the same transaction may block them. */
void slots_postpone_followers(struct slots *slots);
/* Call when the outcome is recorded: marks postponed outcomes of the same webhook as late if they ended earlier. */
void slots_mark_earlier_late(const struct slot *slot);
/* The outcomes of `count` slots, from this one on in its state, may have been recorded already. */
void slots_mark_unknown(struct slot *first, size_t count);

/* The number of attempts, including this one, since the delivery was created or sent again. */
unsigned slot_attempts_made(const struct slot *slot);

/* The outcomes to record: of `first`, which may be NULL, and of the next slots in its state. Returns how many there are, at
 * most `capacity`. Times are relative to now, which may be long after the attempt if the database was unavailable. Strings live
 * until slot_release. */
size_t slots_outcomes(const struct slot *first, int64_t now_ms, struct delivery_outcome *outcomes, size_t capacity);
