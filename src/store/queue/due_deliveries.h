/* SPDX-License-Identifier: MIT
 * Webhooks with due deliveries, these deliveries, and where they are sent (docs/deliveries.md 4).
 *
 * Times are the database's. RESULT_UNAVAILABLE and RESULT_UNKNOWN mean that the connection was lost: call again later; every
 * function here may be repeated. */
#pragma once

#include "store/store.h"
#include "webhook/delivery.h"

struct due_webhook {
	uint64_t webhook_id;
	uint64_t account_id;       /* of its campaign */
	int64_t first_due_ms;      /* its oldest delivery, which may be under way; may be before its hold ended */
	unsigned failures, probes; /* as store_record_outcomes last recorded them */
	int64_t failing_since_ms;  /* -1: the last attempt succeeded, or there was none */
	bool succeeded;            /* at least once */
	unsigned rate;             /* deliveries per second; 0: any number */
};

/* What there is to do. */
struct due_webhooks {
	/* webhooks with a delivery due now, except those on hold: the oldest of each account, then the second of each, … */
	struct due_webhook *due;
	size_t due_count;
	uint64_t *ended; /* webhooks that were removed: their pending deliveries are ended at once */
	size_t ended_count;
	int64_t now_ms;        /* the database's time when the function returns */
	int64_t next_due_ms;   /* the earliest later time at which a delivery comes due, or -1 */
	bool bulk_work;        /* a job is queued and not delayed */
	bool free_jobs;        /* jobs of operators have not ended and no dispatcher leases them */
	bool several_accounts; /* the installation has more than one */
};

/* What to search for. */
struct due_query {
	uint64_t shards; /* only these shards; bit i is shard i */
	size_t limit;    /* maximum of webhooks of each kind */
	bool newest;     /* only the newest deliveries: finds neither ended webhooks nor everything that is due */
};

/* Costs one probe per webhook, not per row; but while an old snapshot is open, for example by a dump, it reads over all removed
 * rows. With `newest`, it does not read these. */
MUST_CHECK enum result store_due_webhooks(
    struct store *store, struct pool *pool, const struct due_query *query, struct due_webhooks *webhooks);

/* The place of a row among a webhook's due rows, which are ordered by time, then id. */
struct due_position {
	int64_t due_ms;
	uint64_t id;
};

struct due_request {
	uint64_t webhook_id;
	size_t rows;              /* maximum number of rows to fetch */
	size_t under_way;         /* how many of `under_way` below are this webhook's */
	struct due_position last; /* only rows after it are searched; store_fetch_due moves it to the last row that it read */
	bool more;                /* set by store_fetch_due: the webhook is active, and there may be more rows after `last` */
};

/* The receiver of a webhook and how to reach it, as set by the operator. */
struct destination {
	uint64_t webhook_id;
	enum webhook_state state; /* with WEBHOOK_MISSING, everything else is absent */
	struct slice url;                                     /* for libcurl (webhook_url_dial); absent: the URL is invalid */
	struct slice secret;
	struct slice previous_secret;                         /* signs, too, during a rotation; otherwise absent */
	bool sealed;                                          /* URL or secrets cannot be opened (logged) and are absent */
	struct slice schedule;                                /* as retry_schedule_parse reads it; absent: as in the setting */
	struct slice accepts;                                 /* as retry_is_taken reads it */
	struct slice ca_file, client_certificate, client_key; /* paths; absent: the dispatcher's */
};

struct due_delivery {
	uint64_t id, event_id;
	const struct destination *destination;
	struct slice event;       /* its name, a literal; absent when the event's row is missing */
	unsigned attempt;         /* from 1, the next one */
	unsigned attempts_before; /* attempts before it was sent again; 0: it was not sent again */
	struct slice message_id;  /* the webhook-id header */
	struct slice payload;     /* JSON */
	bool form;                /* send as application/x-www-form-urlencoded … */
	bool form_brackets;       /* … with arrays as form_encode writes them with `brackets` */
};

/* Fetches due deliveries of each webhook, the oldest first, except those `under_way`. Changes nothing: the caller, which leases
 * the webhook's shard, must make sure that a delivery is sent once. Strings are in the pool. */
struct due_deliveries {
	struct due_delivery *items;
	size_t count;
};
MUST_CHECK enum result store_fetch_due(struct store *store, struct pool *pool, struct due_request *requests,
    size_t request_count, const struct id_set *under_way, struct due_deliveries *deliveries);

/* Reads the destinations whose webhook_id is set; strings are in the pool. */
MUST_CHECK enum result store_destinations(
    struct store *store, struct pool *pool, struct destination *destinations, size_t count);
