/* SPDX-License-Identifier: MIT
 * What the dispatcher asks of the database: leases of shards, claims of due deliveries, outcomes (docs/deliveries.md 4).
 *
 * Whoever has leased shards, or released somebody's, knows that the schema is the right one; nothing else here looks.
 *
 * Times are the database's. RESULT_UNAVAILABLE and RESULT_UNKNOWN mean that the connection is gone: call again later; every
 * function here may be repeated. */
#ifndef LEADHOOK_STORE_QUEUE_DISPATCH_H
#define LEADHOOK_STORE_QUEUE_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"
#include "engine/command.h"
#include "webhook/delivery.h"

struct store;

enum { DISPATCH_OWNER_SIZE = 16, DISPATCH_TOKEN_SIZE = 16 };

/* Takes free shards, renews ours. `owner` is DISPATCH_OWNER_SIZE random bytes. *held: bit i is set when shard i is ours until
 * now + lease_ms. */
MUST_CHECK enum result store_shards_lease(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *held);
/* Gives all of ours back, at a clean end. */
MUST_CHECK enum result store_shards_release(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE]);
/* Frees the shards and makes due the claims of a dispatcher that is known to be dead. Those that have ended are due already;
 * one that ends later than in lease_ms, because it was made with a longer lease, comes due when it ends. */
MUST_CHECK enum result store_owner_release(
    struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE], int64_t lease_ms);

struct due_webhook {
	uint64_t webhook_id;
	int64_t first_due_ms;      /* its oldest delivery; may be before its hold was over */
	unsigned failures, probes; /* as store_complete recorded them last */
	int64_t failing_since_ms;  /* -1: the last attempt succeeded, or there was none */
	bool succeeded;            /* ever */
	unsigned rate;             /* deliveries a second; 0: any number */
};

/* What there is to do. */
struct due_webhooks {
	struct due_webhook *due; /* have something due now, the oldest first; not those that are held */
	size_t due_count;
	uint64_t *ended; /* were removed or are gone: what they have pending is to be ended, whenever it is due */
	size_t ended_count;
	int64_t now_ms;      /* the database's time, as this is told */
	int64_t next_due_ms; /* the earliest later time at which something comes due, or -1 */
	bool bulk_work;      /* a job is queued that is not delayed */
};

/* What to look for. */
struct due_query {
	uint64_t held; /* in these shards, bit i is shard i */
	size_t limit;  /* so many webhooks of each kind at most */
	bool newest;   /* among the newest deliveries alone: that tells of nobody who has ended, nor of all that is due */
};

/* What is claimed makes nobody one of the ended ones: it is its owner's, and comes due when its claim ends. Costs one probe per
 * webhook, not per row; but all that was removed is walked over while old snapshots are read, by a dump for instance. Not so
 * when it is asked for the newest alone. */
MUST_CHECK enum result store_due_webhooks(
    struct store *store, struct pool *pool, const struct due_query *question, struct due_webhooks *webhooks);

/* Rows of a webhook that were found due and are not claimed yet, the oldest first; from `at` to before `count`. All zeros:
 * none. */
enum { DUE_ROWS_AHEAD = 32 };
struct due_rows {
	struct {
		uint64_t id;
		int64_t due_ms;
	} rows[DUE_ROWS_AHEAD];
	size_t at, count;
};

struct due_request {
	uint64_t webhook_id;
	size_t rows;
	struct due_rows *ahead; /* used up first, and filled again, so that not every claim has to look; or NULL */
	int64_t from_ms;        /* nothing that is due before is looked for */
	int64_t last_ms;        /* when the last one came due that store_claim found; from_ms: none */
};

/* How a webhook is reached, as its operator has set it. */
struct destination {
	uint64_t webhook_id;
	enum webhook_state state; /* of WEBHOOK_MISSING the rest is absent */
	struct slice url, secret;
	struct slice previous_secret;                         /* signs too, while a rotation lasts; else absent */
	struct slice schedule;                                /* as retry_schedule_parse takes it; absent: the setting's */
	struct slice ca_file, client_certificate, client_key; /* paths; absent: none of its own */
};

struct due_delivery {
	uint64_t id;
	const struct destination *destination;
	struct slice event;       /* its name, a literal; absent when the event's row is missing */
	unsigned attempt;         /* from 1, this one */
	unsigned attempts_before; /* the last of them before it was sent again; 0: it was not */
	struct slice token;       /* of this claim */
	struct slice message_id;  /* the webhook-id header */
	struct slice payload;     /* JSON */
	bool form;                /* to be sent as application/x-www-form-urlencoded */
};

/* Claims up to requests[i].rows due rows of each webhook, the oldest first: a guarded UPDATE sets the token, due_ms = now +
 * lease_ms and counts the attempt. Answers only rows whose claim took; everything is in the pool. When it fails, *deliveries
 * are those that are perhaps claimed nevertheless, with id and token alone: store_unclaim gives them back. */
MUST_CHECK enum result store_claim(struct store *store, struct pool *pool, const unsigned char owner[DISPATCH_OWNER_SIZE],
    int64_t lease_ms, struct due_request *requests, size_t request_count, struct due_delivery **deliveries, size_t *count);

/* The destinations of these webhooks, one by one; in the pool. */
MUST_CHECK enum result store_destinations(
    struct store *store, struct pool *pool, const uint64_t *webhook_ids, size_t count, struct destination **destinations);

struct delivery_outcome {
	uint64_t id, webhook_id;
	struct slice token;
	unsigned attempt;
	enum delivery_state state;        /* what the delivery becomes; PENDING: tried again */
	int64_t next_due_in_ms;           /* from now, when PENDING */
	enum webhook_state webhook_state; /* ACTIVE, or what store_close_webhook has to make of it: GONE after a 410,
					   * DISABLED when it has failed for too long. Set to ACTIVE when the
					   * webhook was enabled during the attempt */
	/* What the attempt came to for the webhook. Of several outcomes the last one's is kept, and not one that comes late. */
	unsigned webhook_failures, webhook_probes;
	int64_t webhook_hold_ms; /* > 0: nothing of it before now + this */
	int64_t started_ms_ago, duration_ms;
	int status;          /* HTTP, or 0 when none came */
	struct slice error;  /* why no whole answer came, at most 32 ASCII bytes; absent: one came */
	struct slice answer; /* at most 1 KiB of it */
	bool late;           /* others of its webhook that came to an end after it have been recorded already */
	bool stale;          /* told by store_complete: the claim was no longer ours, nothing was recorded */
};

/* One transaction of a handful of statements: log of attempts, deliveries that have ended and leave `due`, or are moved in it,
 * state of the webhooks. An outcome whose claim is no longer ours is left out and marked as stale. At most 1024 of them. Where
 * somebody stands in the way RESULT_CONFLICT says so within a second or two; it is not tried again by itself. */
MUST_CHECK enum result store_complete(struct store *store, struct delivery_outcome *outcomes, size_t count);

/* Makes an active webhook WEBHOOK_GONE or WEBHOOK_DISABLED, after the outcome that says so was recorded; the latter only while
 * it is failing: not when it was enabled or had a success in the meantime. Takes no lock when there is nothing to do. A
 * transaction of its own, because it locks the webhook's campaign: for that it `waits` a second at most, or not at all.
 * RESULT_CONFLICT: the campaign is locked; it is not tried again by itself. If it is never run, the next attempt reports the
 * same. */
MUST_CHECK enum result store_close_webhook(struct store *store, uint64_t webhook_id, enum webhook_state state, bool waits);

/* Gives claimed rows back untried: due at once, the attempt not counted. Does nothing to those that are not claimed so. */
MUST_CHECK enum result store_unclaim(struct store *store, const struct delivery_outcome *claims, size_t count);

/* Ends up to `chunk` pending deliveries of a webhook with the error "webhook_gone", if it is gone or removed; but for those
 * that are claimed: their attempts are recorded first. *done: how many; 0 when there are none left. */
MUST_CHECK enum result store_fail_pending(struct store *store, uint64_t webhook_id, size_t chunk, size_t *done);

/* Ends a pending delivery, claimed or not, with the error "crashed", and leaves its webhook alone for `hold_ms`. *done: 1, or 0
 * when it is not pending. Reads nothing of what it says. */
MUST_CHECK enum result store_fail_crashed(struct store *store, uint64_t delivery_id, int64_t hold_ms, size_t *done);

/* Queued bulk work (docs/api.md 4.1). */
struct bulk_job {
	uint64_t id, campaign_id;
	enum lead_action action;
	uint64_t tag_id;
	struct slice word;
	struct slice lead_ids; /* engine/id_list.h */
	uint32_t position, total;
	uint32_t failures; /* in a row, at this position */
};
/* The oldest job of the campaign that was served longest ago. RESULT_NOT_FOUND: there is none, but for those that are
 * delayed. */
MUST_CHECK enum result store_next_job(struct store *store, struct pool *pool, struct bulk_job *job);
/* Counts a failure at `position`, where `failures` are counted already, and leaves the job alone for `delay_ms`; that was its
 * campaign's turn. Does nothing when somebody else has done it, or has moved the job. */
MUST_CHECK enum result store_delay_job(
    struct store *store, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms);
/* Passes over the item at `position`, which cannot be done: the job goes on with the next. Does nothing when somebody else has
 * moved it. */
MUST_CHECK enum result store_skip_job_item(struct store *store, uint64_t job_id, uint32_t position);

/* Notes campaigns whose end time has come; removes what deleted leads left behind, in chunks; drops commit tokens older than a
 * day. Cheap when there is nothing to do. `maintains_days`: makes the partitions of the days to come as well, and drops those
 * that are older than the retention, after it has ended what is pending of them; every few minutes, and at most one day at a
 * time. That this fails is logged and tried again later. One dispatcher at a time is to do it. */
MUST_CHECK enum result store_maintain(struct store *store, bool maintains_days);

/* What became of the wish that a delivery be sent again. */
enum redelivery {
	REDELIVERY_QUEUED,     /* is due now; its schedule begins anew, its attempts count on */
	REDELIVERY_HELD,       /* the same; but its webhook is disabled or held */
	REDELIVERY_UNDER_WAY,  /* a dispatcher is at it: left alone */
	REDELIVERY_NO_WEBHOOK, /* the webhook was removed, or has answered 410 */
	REDELIVERY_NO_EVENT,   /* the event is not kept any more */
	REDELIVERY_MISSING,    /* no such delivery */
	REDELIVERIES
};
/* In one transaction; what[i] is said of ids[i]. RESULT_UNKNOWN: it was perhaps done. */
enum { REDELIVER_MAX = 250 };
MUST_CHECK enum result store_redeliver(struct store *store, const uint64_t *ids, size_t count, enum redelivery *what);

#endif
