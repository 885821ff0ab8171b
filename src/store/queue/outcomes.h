/* SPDX-License-Identifier: MIT
 * Records outcomes of attempts, and ends deliveries that are not sent (docs/deliveries.md 4).
 *
 * Times are the database's. RESULT_UNAVAILABLE and RESULT_UNKNOWN mean that the connection was lost: call again later; every
 * function here may be repeated. */
#pragma once

#include "db/db.h"
#include "store/queue/shards.h"
#include "webhook/delivery.h"

struct delivery_outcome {
	uint64_t id, event_id, webhook_id;
	bool form;                         /* as in struct due_delivery, and … */
	unsigned attempt, attempts_before; /* … these, too */
	bool not_made;                     /* only the delivery ends: `attempt` is the last one that was recorded */
	enum delivery_state state;         /* new state of the delivery; PENDING: tried again */
	int64_t next_due_in_ms;            /* from now, when PENDING */
	/* ACTIVE, or the argument for store_deactivate_webhook: GONE after a 410, DISABLED after failures for too long. Set to
	 * ACTIVE when the webhook was enabled during the attempt. */
	enum webhook_state webhook_state;
	/* The webhook's state after the attempt. Of several outcomes, the last one that is not late counts. */
	unsigned webhook_failures, webhook_probes;
	int64_t webhook_hold_ms; /* > 0: nothing is sent for this long */
	int64_t started_ms_ago, duration_ms;
	int status;          /* HTTP, or 0 when none came */
	struct slice error;  /* why there was no complete answer, at most 32 ASCII bytes; absent: there was one */
	struct slice answer; /* at most its first 1 KiB */
	bool routine;        /* one success after another: it causes no update of the webhook's status by itself */
	bool late;           /* later outcomes of its webhook have been recorded already */
	bool stale;          /* set by store_record_outcomes: nothing was recorded */
};

/* Records outcomes in one transaction with a fixed number of statements: moves ended deliveries out of `due`, reschedules the
 * others, logs attempts, updates the webhooks' status. An outcome is stale when `owner` no longer leases its webhook's shard,
 * or when the delivery has ended or its attempt was recorded before. A delivery that was sent again during the attempt (its
 * attempts_before differs) stays due, unless it is delivered. At most DB_LIST_MAX outcomes. Returns RESULT_CONFLICT after
 * waiting a second or two for a lock, without another attempt. */
MUST_CHECK enum result store_record_outcomes(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], struct delivery_outcome *outcomes, size_t count);

/* Makes an active webhook WEBHOOK_GONE or WEBHOOK_DISABLED, after the outcome was recorded. WEBHOOK_DISABLED only while it is
 * failing: not if it was enabled or had a success in between. Takes no lock when there is nothing to do. Uses its own
 * transaction, because it locks the webhook's campaign: LOCK_SOON waits for up to a second. RESULT_CONFLICT: the campaign is
 * locked; it does not try again. If the call is missed, the next attempt reports the same state. */
enum lock_wait { LOCK_IF_FREE, LOCK_SOON };
MUST_CHECK enum result store_deactivate_webhook(
    struct store *store, uint64_t webhook_id, enum webhook_state state, enum lock_wait wait);

/* Fails up to `chunk` pending deliveries of a removed webhook, with the error "webhook_gone", except those `under_way`, whose
 * attempts are recorded first. *done: how many; 0 when none are left. */
MUST_CHECK enum result store_fail_pending(
    struct store *store, uint64_t webhook_id, const struct id_set *under_way, size_t chunk, size_t *done);

/* Fails a pending delivery with the error "crashed", and holds its webhook for `hold_ms`. *done: 1, or 0 when
 * it is not pending. Does not read its payload. */
MUST_CHECK enum result store_fail_crashed(struct store *store, uint64_t delivery_id, int64_t hold_ms, size_t *done);

/* For partitions.c. Ends up to `chunk` pending deliveries of old days with the error "expired", even if they are under way.
 * `days`: limits of the deliveries' ids and of their events' ids. */
MUST_CHECK enum result store_fail_expired(struct store *store, const struct db_value days[2], size_t chunk, size_t *done);
