/* SPDX-License-Identifier: MIT
 * The dispatcher's statements: leases of shards, due deliveries, outcomes (docs/deliveries.md 4).
 *
 * store_shards_lease and store_recover check the schema version; the other functions here do not.
 *
 * Times are the database's. RESULT_UNAVAILABLE and RESULT_UNKNOWN mean that the connection was lost: call again later; every
 * function here may be repeated. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"
#include "engine/command.h"
#include "webhook/delivery.h"

struct store;

enum { DISPATCH_OWNER_SIZE = 16 };

/* Takes free shards and renews ours. `owner` is DISPATCH_OWNER_SIZE random bytes. *leased: bit i is set when shard i is ours
 * until now + lease_ms. */
MUST_CHECK enum result store_shards_lease(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], int64_t lease_ms, uint64_t *leased);
/* Releases all our shards, at a clean exit. */
MUST_CHECK enum result store_shards_release(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE]);
/* A delivery that was under way when its dispatcher died. */
struct interrupted_delivery {
	uint64_t id;
	unsigned attempt;         /* from 1, the one that was under way */
	unsigned attempts_before; /* as in struct due_delivery */
	int64_t delay_ms;         /* until the next attempt */
};
/* After the death of a dispatcher: counts the attempts that were under way, unless their outcomes were recorded, and frees the
 * shards and jobs of operators; in one transaction. */
MUST_CHECK enum result store_recover(struct store *store, const unsigned char dead_owner[DISPATCH_OWNER_SIZE],
    const struct interrupted_delivery *interrupted, size_t count);

struct due_webhook {
	uint64_t webhook_id;
	uint64_t account_id;       /* of its campaign */
	int64_t first_due_ms;      /* its oldest delivery, which may be under way; may be before its hold ended */
	unsigned failures, probes; /* as store_record_outcomes last recorded them */
	int64_t failing_since_ms;  /* -1: the last attempt succeeded, or there was none */
	bool succeeded;            /* at least once */
	unsigned rate;             /* deliveries a second; 0: any number */
};

/* What there is to do. */
struct due_webhooks {
	struct due_webhook
	    *due; /* webhooks with a delivery due now, except those on hold: the oldest of each account first, … */
	size_t due_count;
	uint64_t *ended; /* webhooks that were removed: their pending deliveries are ended at once */
	size_t ended_count;
	int64_t now_ms;        /* the database's time when the function returns */
	int64_t next_due_ms;   /* the earliest later time at which a delivery comes due, or -1 */
	bool bulk_work;        /* a job is queued that is not delayed */
	bool free_jobs;        /* jobs of operators have not ended that no dispatcher leases */
	bool several_accounts; /* the installation has more than one */
};

/* What to search for. */
struct due_query {
	uint64_t shards; /* only these shards; bit i is shard i */
	size_t limit;    /* maximum of webhooks of each kind */
	bool newest;     /* only the newest deliveries: does not find ended webhooks, nor all that is due */
};

/* Costs one probe per webhook, not per row; but while an old snapshot is open, a dump for instance, it reads over all removed
 * rows. With `newest` it does not. */
MUST_CHECK enum result store_due_webhooks(
    struct store *store, struct pool *pool, const struct due_query *query, struct due_webhooks *webhooks);

/* The place of a row among a webhook's due rows, which are ordered by time, then id. */
struct due_position {
	int64_t due_ms;
	uint64_t id;
};

struct due_request {
	uint64_t webhook_id;
	size_t rows;              /* to fetch, at most */
	size_t under_way;         /* how many of `under_way` below are this webhook's */
	struct due_position last; /* only rows after it are searched; store_fetch_due moves it to the last row that it read */
	bool more;                /* set by store_fetch_due: the webhook is active, and there may be more rows after `last` */
};

/* What a lock file shows of its dispatcher. */
struct dispatcher_seen {
	struct slice owner;      /* of its leases, also when it is dead; absent: the file cannot be read */
	struct id_set under_way; /* empty when no process has the lock */
	bool is_running;         /* one has the lock; false, too, when the file cannot be read */
};

/* The receiver of a webhook and how to reach it, as set by the operator. */
struct destination {
	uint64_t webhook_id;
	enum webhook_state state; /* with WEBHOOK_MISSING, the rest is absent */
	struct slice url, secret;
	struct slice previous_secret;                         /* signs too during a rotation; else absent */
	bool sealed;                                          /* URL or secrets cannot be opened, logged, and are absent */
	struct slice schedule;                                /* as retry_schedule_parse takes it; absent: the setting's */
	struct slice accepts;                                 /* as retry_is_taken takes it */
	struct slice ca_file, client_certificate, client_key; /* paths; absent: the dispatcher's */
};

struct due_delivery {
	uint64_t id, event_id;
	const struct destination *destination;
	struct slice event;       /* its name, a literal; absent when the event's row is missing */
	unsigned attempt;         /* from 1, the next one */
	unsigned attempts_before; /* attempts before it was sent again; 0: it was not */
	struct slice message_id;  /* the webhook-id header */
	struct slice payload;     /* JSON */
	bool form;                /* to be sent as application/x-www-form-urlencoded … */
	bool form_brackets;       /* … with arrays as form_encode writes them with `brackets` */
};

/* Fetches due deliveries of each webhook, the oldest first, except those `under_way`. Changes nothing: that a delivery is sent
 * once is up to the caller, which leases the webhook's shard. Strings are in the pool. */
MUST_CHECK enum result store_fetch_due(struct store *store, struct pool *pool, struct due_request *requests,
    size_t request_count, const struct id_set *under_way, struct due_delivery **deliveries, size_t *count);

/* Reads the destinations whose webhook_id is set; in the pool. */
MUST_CHECK enum result store_destinations(
    struct store *store, struct pool *pool, struct destination *destinations, size_t count);

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
	/* The webhook's state after the attempt. Of several outcomes the last one counts, except late ones. */
	unsigned webhook_failures, webhook_probes;
	int64_t webhook_hold_ms; /* > 0: nothing is sent before now + this */
	int64_t started_ms_ago, duration_ms;
	int status;          /* HTTP, or 0 when none came */
	struct slice error;  /* why there was no complete answer, at most 32 ASCII bytes; absent: there was one */
	struct slice answer; /* at most 1 KiB of it */
	bool routine;        /* another success: the webhook's status is not stored, unless another outcome's is */
	bool late;           /* later outcomes of its webhook have been recorded already */
	bool stale;          /* set by store_record_outcomes: nothing was recorded */
};

/* Records outcomes in one transaction with a fixed number of statements: moves ended deliveries out of `due`, reschedules the
 * others, logs attempts, updates the webhooks' status. An outcome is stale when its webhook's shard is not leased by `owner`
 * any more, or when the delivery has ended or its attempt was recorded before. A delivery that was sent again during the
 * attempt (its attempts_before differs) stays due, unless it is delivered. At most DB_LIST_MAX outcomes. Returns
 * RESULT_CONFLICT after a second or two of waiting for a lock, without another attempt. */
MUST_CHECK enum result store_record_outcomes(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], struct delivery_outcome *outcomes, size_t count);

/* Makes an active webhook WEBHOOK_GONE or WEBHOOK_DISABLED, after the outcome was recorded. WEBHOOK_DISABLED only while it is
 * failing: not if it was enabled or had a success meanwhile. Takes no lock when there is nothing to do. A transaction of its
 * own, because it locks the webhook's campaign: `waits`: for up to a second, else not at all. RESULT_CONFLICT: the campaign is
 * locked; there is no other attempt. If the call is missed, the next attempt reports the same state. */
MUST_CHECK enum result store_deactivate_webhook(struct store *store, uint64_t webhook_id, enum webhook_state state, bool waits);

/* Fails up to `chunk` pending deliveries of a webhook that was removed, with the error "webhook_gone", except those
 * `under_way`, whose attempts are recorded first. *done: their number; 0 when none are left. */
MUST_CHECK enum result store_fail_pending(
    struct store *store, uint64_t webhook_id, const struct id_set *under_way, size_t chunk, size_t *done);

/* Fails a pending delivery with the error "crashed", and holds its webhook for `hold_ms`. *done: 1, or 0 when
 * it is not pending. Does not read its payload. */
MUST_CHECK enum result store_fail_crashed(struct store *store, uint64_t delivery_id, int64_t hold_ms, size_t *done);

/* Queued bulk work (docs/api.md 4.1). */
struct bulk_job {
	uint64_t id, campaign_id;
	enum lead_action action; /* LEAD_ACTIONS: a word that this program does not have */
	uint64_t tag_id;
	struct slice argument;
	int32_t points;        /* LEAD_POINTS, as the next one */
	struct slice message;  /* may be absent, as the next one */
	struct slice made_by;  /* as in struct lead_change */
	struct slice lead_ids; /* engine/id_list.h */
	uint32_t position, total;
	uint32_t failures; /* in a row, at this position */
};
/* Of the account that was served longest ago, and of its campaigns the one that was, the oldest job, except delayed ones.
 * RESULT_NOT_FOUND: none. */
MUST_CHECK enum result store_next_job(struct store *store, struct pool *pool, struct bulk_job *job);
/* Counts a failure at `position`, where `failures` are counted already, and delays the job by `delay_ms`; its campaign and
 * account then count as served. Does nothing if another process has moved or delayed the job. */
MUST_CHECK enum result store_delay_job(
    struct store *store, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms);
/* Delays the job without counting a failure; its campaign and account then count as served. */
MUST_CHECK enum result store_postpone_job(struct store *store, uint64_t job_id, int64_t delay_ms);
/* Skips the item at `position`, which cannot be done. Does nothing if another process has moved the job. */
MUST_CHECK enum result store_skip_job_item(struct store *store, uint64_t job_id, uint32_t position);

/* Records campaigns whose end time has passed; removes the rows of deleted leads, in chunks; drops commit tokens older than a
 * day, expired codes and expired calls of inbound webhooks; makes the partitions of coming days, and drops days older than the
 * retention after ending their pending deliveries, at most one day at a time, every few minutes (a failure of this part is
 * logged and retried later); counts leads by hour where they are not (hours.h). Cheap when there is nothing to do. Only the
 * dispatcher that leases the first shard calls it. */
MUST_CHECK enum result store_clean_up(struct store *store);
/* The part of it that queues jobs for leads that did not verify their address in time. */
MUST_CHECK enum result store_queue_unverified(struct store *store);

/* The part of it that drops addresses and user agents of leads. */
MUST_CHECK enum result store_drop_addresses(struct store *store);

/* Refreshes the server's statistics of `due`, after polls that took long. */
MUST_CHECK enum result store_refresh_statistics(struct store *store);

/* Result of a request to send a delivery again. */
enum redelivery {
	REDELIVERY_QUEUED,     /* is due now; its schedule begins again, its attempts are counted on */
	REDELIVERY_HELD,       /* the same; but its webhook is not active, or held */
	REDELIVERY_NO_WEBHOOK, /* the webhook was removed */
	REDELIVERY_NO_EVENT,   /* the event was dropped by the retention */
	REDELIVERY_AT_LIMIT,   /* it has REDELIVER_ATTEMPTS_MAX attempts, or more */
	REDELIVERY_MISSING,    /* no such delivery */
	REDELIVERIES
};
/* In one transaction; what[i] is the result of ids[i]. `note` (may be NULL) is called in it, then: a result other than
 * RESULT_OK undoes all. It may be called several times. RESULT_UNKNOWN: it may have been committed. */
enum { REDELIVER_MAX = 250 };
/* The last schedule may exceed it. The columns of attempts have room for 65,535. */
enum { REDELIVER_ATTEMPTS_MAX = 1000 };
typedef enum result redelivery_note(void *context);
MUST_CHECK enum result store_redeliver(
    struct store *store, const uint64_t *ids, size_t count, enum redelivery *what, redelivery_note *note, void *context);
