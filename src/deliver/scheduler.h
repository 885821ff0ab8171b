/* SPDX-License-Identifier: MIT
 * Decides which webhook sends next (docs/deliveries.md 3 and 4). Webhooks are served in rotation, each within its concurrency,
 * its rate limit and what its breaker allows (webhook/health.h).
 *
 * Two rules prevent webhooks that hang from delaying others. Webhooks on probation share half of the slots. The last quarter of
 * all slots, and the last half of the probation share, go only to webhooks with nothing under way, one slot each. No I/O and no
 * clock: times are those of the database. */
#ifndef LEADHOOK_DELIVER_SCHEDULER_H
#define LEADHOOK_DELIVER_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "store/queue/dispatch.h"
#include "webhook/health.h"

struct scheduler;

struct scheduler_limits {
	size_t webhooks; /* maximum number of entries */
	size_t slots;    /* deliveries under way at a time */
	size_t turn;     /* deliveries of a webhook per turn */
};

/* `rules` must stay valid. */
struct scheduler *scheduler_new(const struct scheduler_limits *limits, const struct health_rules *rules);
void scheduler_free(struct scheduler **scheduler);

/* Reports that this webhook has due deliveries. Its values replace ours while nothing of it is under way. Ignored when the
 * table is full: the next poll offers it again. */
void scheduler_offer(struct scheduler *scheduler, const struct due_webhook *webhook, int64_t now_ms);
/* Retains only webhooks of these shards (bit i: shard i, webhook/delivery.h). Others get nothing until they are offered
 * again. */
void scheduler_retain(struct scheduler *scheduler, uint64_t shards, int64_t now_ms);
/* When scheduler_take(…, slots, …) returns requests: now, later because of a rate limit, or CLOCK_NEVER. */
int64_t scheduler_next_ms(struct scheduler *scheduler, size_t slots, int64_t now_ms);
/* True when a webhook can send as soon as a slot is unused. */
bool scheduler_waiting(const struct scheduler *scheduler);
/* Allocates up to `most` of `slots` unused slots, one request per webhook. Returns the number of requests; `requests` must have
 * room for `most`. The next call continues with the next webhook. */
size_t scheduler_take(struct scheduler *scheduler, size_t slots, size_t most, int64_t now_ms, struct due_request *requests);
/* A delivery got its slot. */
void scheduler_started(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms);
/* All deliveries that the last scheduler_take requested have been started. A webhook with fewer has nothing more due. Reads the
 * requests again for the position to continue at. */
void scheduler_taken(struct scheduler *scheduler, int64_t now_ms);

/* Records the result of an attempt and returns the new health in *health. */
enum health_change scheduler_attempted(
    struct scheduler *scheduler, uint64_t webhook_id, bool success, int64_t now_ms, struct health *health);
/* The webhook must have something under way. */
struct health scheduler_health(const struct scheduler *scheduler, uint64_t webhook_id);
/* Sends nothing to the webhook until `until_ms`. Returns false when it was already held as long. The hold is in memory only
 * while something of the webhook is under way; afterwards the database has it. */
bool scheduler_hold(struct scheduler *scheduler, uint64_t webhook_id, int64_t until_ms);
/* The end of its hold or of its breaker's wait. Not later than now: it is not held. */
int64_t scheduler_held_until_ms(const struct scheduler *scheduler, uint64_t webhook_id);
/* A delivery released its slot. */
void scheduler_ended(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms);

#endif
