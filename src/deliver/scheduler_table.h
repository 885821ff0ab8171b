/* SPDX-License-Identifier: MIT
 * The scheduler's webhooks and accounts, and the queues in which they wait. Private to scheduler.c and scheduler_table.c. */
#pragma once

#include "deliver/scheduler.h"

#include <sys/queue.h>

#include "webhook/rate.h"

enum { TABLE_BUCKETS = 4096 };

/* What a webhook can do. */
enum state {
	STATE_IDLE,         /* nothing due or under way; kept for its concurrency and rate; the first one is evicted first */
	STATE_BUSY,         /* as many deliveries as possible are under way, or none is fetched */
	STATE_RATE_LIMITED, /* may not send before its rate limit allows it */
	STATE_HEALTHY,      /* healthy, ready to send */
	STATE_ON_PROBATION, /* on probation, ready to send */
	STATES
};

/* Webhooks that wait for the same thing are served in rotation, account by account. */
enum queue {
	QUEUE_SEND_HEALTHY,
	QUEUE_SEND_ON_PROBATION,
	QUEUE_FETCH_HEALTHY, /* the webhook can use more deliveries than are fetched */
	QUEUE_FETCH_ON_PROBATION,
	QUEUES
};

struct account_entry;

struct webhook_entry {
	uint64_t id;
	struct account_entry *account;
	struct health health;
	bool more;                            /* the database may have more due deliveries than those fetched or under way */
	bool succeeded;                       /* at least once */
	size_t in_flight, fetched, requested; /* requested: not answered yet */
	struct slot *first, *last;            /* the first and the last fetched delivery */
	struct due_position read;             /* all due deliveries up to this place were read */
	struct rate rate;
	int64_t held_until_ms;
	int64_t noted_ms; /* the last result that was stored */
	uint64_t end;     /* the number of its last delivery that ended, from 1; 0: none */
	enum state state;
	bool queued[QUEUES];
	TAILQ_ENTRY(webhook_entry) list;          /* webhooks in the same state */
	TAILQ_ENTRY(webhook_entry) queue[QUEUES]; /* webhooks of the same account */
	SLIST_ENTRY(webhook_entry) chain;         /* webhooks in the same bucket */
};

TAILQ_HEAD(webhook_list, webhook_entry);
SLIST_HEAD(webhook_chain, webhook_entry);

struct account_entry {
	uint64_t id;
	size_t webhooks; /* how many have an entry; 0: the account is unused */
	size_t in_flight, on_probation, in_flight_on_probation;
	struct webhook_list queues[QUEUES];
	TAILQ_ENTRY(account_entry) rotation[QUEUES];
	SLIST_ENTRY(account_entry) chain; /* accounts in the same bucket, or unused ones */
	LIST_ENTRY(account_entry) size;   /* accounts with the same number of webhooks */
};

TAILQ_HEAD(account_list, account_entry);
SLIST_HEAD(account_chain, account_entry);
LIST_HEAD(account_size, account_entry);

struct scheduler {
	struct scheduler_limits limits;
	const struct health_rules *rules;
	struct webhook_entry *webhooks;
	struct account_entry *accounts; /* as many entries as in `webhooks` */
	size_t used;
	struct webhook_list lists[STATES];
	struct account_list rotations[QUEUES]; /* accounts whose queue is not empty; the first is next */
	size_t wanting;                        /* webhooks in QUEUE_FETCH_HEALTHY */
	struct webhook_chain buckets[TABLE_BUCKETS];
	struct account_chain account_buckets[TABLE_BUCKETS], unused_accounts;
	struct account_size *sizes; /* accounts by their number of webhooks */
	size_t largest;             /* the highest of these numbers */
	/* deliveries under way, fetched or requested; how many of them are under way */
	size_t on_probation, in_flight_on_probation;
	bool probation_next[2]; /* whether webhooks on probation are next: when sending, when fetching */
	bool several_accounts;
	int64_t limited_until_ms; /* no webhook in STATE_RATE_LIMITED can send before it, unless the clock was set back … */
	int64_t requeued_ms;      /* … to before this one, the time of the last table_requeue_rate_limited */
	uint64_t ends;
};

/* NULL if the webhook has no entry. */
struct webhook_entry *table_find(const struct scheduler *s, uint64_t webhook_id);
/* Deliveries are fetched only for webhooks with an entry, and an entry stays until its last delivery has ended. Without the
 * entry the counts would stay wrong. */
struct webhook_entry *table_must_find(const struct scheduler *s, uint64_t webhook_id);
/* Adds an entry for an unknown webhook. In a full table it replaces an idle webhook; if there is none, one that waits for a
 * fetch with nothing under way, of the account with the most webhooks, if that account has more than this one will have.
 * Returns NULL when there is neither. */
struct webhook_entry *table_add(struct scheduler *s, uint64_t webhook_id, uint64_t account_id);

bool table_is_on_probation(const struct webhook_entry *webhook);
/* The deliveries that are under way, fetched or requested. */
size_t table_used(const struct webhook_entry *webhook);
/* Call these before and after every change of the deliveries in use, and of health. */
void table_count_out(struct scheduler *s, const struct webhook_entry *webhook);
void table_count_in(struct scheduler *s, const struct webhook_entry *webhook);

/* Moves the webhook to the list and the queues of its state; those that it was not in yet, it enters at the end. */
void table_requeue(struct scheduler *s, struct webhook_entry *webhook, int64_t now_ms);
/* Requeues webhooks whose rate limit allows a delivery again. */
void table_requeue_rate_limited(struct scheduler *s, int64_t now_ms);
/* Ends the webhook's turn: the other accounts, and the other webhooks of its account, are next. */
void table_pass_turn(struct scheduler *s, struct webhook_entry *webhook, enum queue queue);
