/* SPDX-License-Identifier: MIT
 * Decides which webhook sends next, and for which webhooks deliveries are fetched (docs/deliveries.md 3 and 4). Accounts are
 * served in rotation, and so are the webhooks of an account, each within its concurrency, its rate limit and its breaker
 * (webhook/health.h).
 * No I/O and no clock: times are those of the database. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deliver/slots.h"
#include "os/clock.h"
#include "store/queue/due_deliveries.h"
#include "webhook/health.h"

struct scheduler;

struct scheduler_limits {
	size_t webhooks;  /* maximum number of entries */
	size_t in_flight; /* maximum of deliveries under way at a time */
	size_t turn;      /* how many fetched deliveries a webhook may have at a time; more when few webhooks have any */
};

/* `rules` must stay valid. */
struct scheduler *scheduler_new(const struct scheduler_limits *limits, const struct health_rules *rules);
void scheduler_free(struct scheduler **scheduler);

/* ---- what is due ---- */

/* How many deliveries have ended so far. */
uint64_t scheduler_ends(const struct scheduler *scheduler);
/* Takes over what a poll has found. The values of a webhook replace ours unless deliveries of it are under way, or have ended
 * since the values were read: `ends` is what scheduler_ends returned before. A webhook is ignored when the table is full: the
 * next poll finds it again. */
void scheduler_note_poll(struct scheduler *scheduler, const struct due_webhooks *found, uint64_t ends);
/* Keeps only webhooks of these shards (bit i: shard i, webhook/delivery.h). Others get nothing until a poll finds them again;
 * the caller drops those with fetched deliveries. */
void scheduler_retain(struct scheduler *scheduler, uint64_t shards, int64_t now_ms);

/* ---- fetching ---- */

/* True when scheduler_request returns requests. */
bool scheduler_wants(struct scheduler *scheduler, int64_t now_ms);
/* Requests up to `rows` deliveries in all, with one request per webhook and at most `most` requests. Returns the number of
 * requests. Each is answered with scheduler_answer. */
size_t scheduler_request(struct scheduler *scheduler, size_t rows, size_t most, int64_t now_ms, struct due_request *requests);
/* Ends a request. RESULT_OK: the fetched deliveries have been added; otherwise nothing was fetched. */
void scheduler_answer(struct scheduler *scheduler, const struct due_request *request, enum result result, int64_t now_ms);
/* Adds a fetched delivery, which is ready to be sent. */
void scheduler_add(struct scheduler *scheduler, struct slot *slot, int64_t now_ms);
/* Discards the fetched deliveries of a webhook, which are due again. Returns the first one (the others follow by slot.next), or
 * NULL. */
struct slot *scheduler_drop(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms);

/* ---- sending ---- */

/* Room for deliveries under way. */
struct places {
	size_t free;   /* how many more deliveries may be under way */
	size_t unsent; /* the same if deliveries that have ended are not counted: shows how scarce places are */
};
/* When scheduler_take(…, places, …) returns a delivery: now, later because of a rate limit, or CLOCK_NEVER. */
int64_t scheduler_next_ms(struct scheduler *scheduler, struct places places, int64_t now_ms);
/* True when a webhook can send as soon as fewer deliveries are under way, or its deliveries are fetched. */
bool scheduler_waiting(const struct scheduler *scheduler);
/* The next delivery to start, or NULL. It counts as started. */
struct slot *scheduler_take(struct scheduler *scheduler, struct places places, int64_t now_ms);
/* Records the result of an attempt and returns the new health in *health. */
enum health_change scheduler_attempted(
    struct scheduler *scheduler, uint64_t webhook_id, enum retry_kind kind, int64_t now_ms, struct health *health);
/* The webhook must have something under way. */
struct health scheduler_health(const struct scheduler *scheduler, uint64_t webhook_id);
/* Returns whether to store the result of an attempt with the webhook, and then counts it as stored. A routine success within a
 * second of the last stored one is not stored: under load there would be as many writes as deliveries. */
enum result_interest { RESULT_IS_ROUTINE, RESULT_IS_NEWS };
bool scheduler_claim_result(struct scheduler *scheduler, uint64_t webhook_id, enum result_interest interest, int64_t now_ms);
/* Sends nothing to the webhook until *until_ms, and sets it to the end of its hold or of its breaker's wait, if that is later.
 * Returns false when the webhook was already held for that long. While deliveries of the webhook are under way, the hold is
 * only in memory; afterwards it is in the database. */
bool scheduler_hold(struct scheduler *scheduler, uint64_t webhook_id, int64_t *until_ms, int64_t now_ms);
/* A delivery released its slot. */
void scheduler_ended(struct scheduler *scheduler, uint64_t webhook_id, int64_t now_ms);
