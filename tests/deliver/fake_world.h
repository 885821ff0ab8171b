/* SPDX-License-Identifier: MIT
 * A database, receivers and a clock in memory, in place of the store, deliver/sender.c and clock_monotonic_ms: hours pass in
 * milliseconds. The clock moves only while the dispatcher waits, and by WORLD_CALL_MS with each call of the store. */
#ifndef LEADHOOK_TESTS_DELIVER_FAKE_WORLD_H
#define LEADHOOK_TESTS_DELIVER_FAKE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deliver/sender.h"
#include "store/queue/dispatch.h"

enum {
	WORLD_ROWS = 16384,
	WORLD_WEBHOOKS = 1101, /* ids 1 to 1100 */
	WORLD_ATTEMPTS = 64,   /* noted per delivery */
	WORLD_FLUSHES = 4096,
	WORLD_ANSWERS = 16, /* in a script */
	WORLD_SEEN = 65536, /* attempts that receivers remember */
	WORLD_JOBS = 8,
	WORLD_JOB_LEADS = 250,
	WORLD_THREADS = 2,
	WORLD_CALL_MS = 1
};

/* The stores of the dispatcher's threads; its own is NULL. */
#define WORLD_RECORDER ((struct store *)&world.record_ms)
#define WORLD_CHORES ((struct store *)&world.bulk)

/* What the database's clock is ahead of ours. */
#define WORLD_DATABASE_AHEAD_MS INT64_C(1790000000000)

struct world_delivery {
	uint64_t id, webhook_id;
	int64_t due_ms; /* all times here are those of the dispatcher's clock */
	int64_t born_ms;
	bool claimed;
	unsigned char token[DISPATCH_TOKEN_SIZE];
	unsigned attempts; /* started */
	unsigned attempts_before;
	enum delivery_state state;
	size_t logged; /* outcomes recorded */
	int64_t started_ms[WORLD_ATTEMPTS];
};

/* What a receiver answers, `times` times. */
struct world_answer {
	int status;
	enum sender_error error;
	const char *retry_after; /* or NULL */
	unsigned times;
};

/* An attempt, as its receiver saw it. */
struct world_seen {
	int64_t at_ms;
	uint64_t webhook_id;
	unsigned signatures;
};

struct world_webhook {
	enum webhook_state state;
	bool removed_after_look; /* before anything of it is claimed */
	bool stuck;              /* nothing of it is to be ended, though it is said to be */
	bool unendable;          /* ending its deliveries meets a lock */
	bool unclosable;         /* closing it meets a lock */
	size_t closings;         /* how often that was tried */
	/* as recorded */
	int64_t hold_until_ms, failing_since_ms;
	unsigned failures, probes;
	bool succeeded;
	/* as its operator has set it */
	unsigned rate;
	const char *schedule, *previous_secret; /* NULL: none */
	int64_t previous_until_ms;
	/* how its receiver answers */
	int status;
	enum sender_error error;
	int64_t latency_ms;
	const char *retry_after;
	size_t fails_first;                        /* that many attempts get a 500 before all that */
	struct world_answer script[WORLD_ANSWERS]; /* instead of all that; the last one goes on */
	size_t script_count, script_at;
	/* what it saw */
	size_t in_flight, most_in_flight, received;
};

/* Bulk work; its id is its place, from 1. The leads of a job are numbered on from those of the one before, from 1. */
struct world_job {
	char lead_ids[WORLD_JOB_LEADS * 5];
	uint32_t position, total, failures;
	int64_t delayed_until_ms;
};

struct world_bulk {
	struct world_job jobs[WORLD_JOBS];
	size_t job_count, lead_count;
	unsigned done[WORLD_JOBS * WORLD_JOB_LEADS + 1]; /* how often each lead was changed */
	uint64_t broken, deleted;                        /* leads: one at which the store fails, one that is gone */
	uint64_t fatal;                                  /* a lead that crashes the dispatcher */
	uint64_t webhook;                                /* is told of each lead that was changed; 0: none */
	size_t rival;                                    /* items that another dispatcher does before each chunk of ours */
	int64_t chunk_ms;                                /* what a chunk takes */
	int64_t busy_until_ms;                           /* chunks are given up until then, though the database is there */
	uint64_t stuck;                                  /* this lead is given up, for as long as it comes */
	size_t most;                                     /* chunks of more items than that are given up; 0: none */
	size_t delays;                                   /* calls of store_delay_job */
	size_t chunks, largest_chunk;
	int64_t first_ms, last_ms; /* when a chunk was begun */
};

struct world {
	int64_t now_ms;
	int64_t stop_ms;                         /* when TERM comes; -1: never */
	int64_t outage_from_ms, outage_until_ms; /* the database is away */
	int64_t lost_commit_ms; /* the first store_complete after that is done, but answers UNKNOWN; -1: none */
	int64_t claim_ms;       /* what comes between a claim and its answer */
	bool look_fails;        /* a look at all that is due, in the end */
	unsigned lost_claims;   /* so many claims are made, but answer UNAVAILABLE */
	uint64_t poison;        /* outcomes of this delivery are refused for good */
	uint64_t blocked;       /* those of this one meet a conflict … */
	uint64_t blocked_webhook;
	int64_t blocked_ms; /* what a conflict takes */
	int64_t blocked_from_ms, blocked_until_ms;
	size_t blocked_with; /* how many others met one with it */
	size_t conflicts;
	size_t lock_waits;              /* of store_close_webhook, each a second */
	int64_t record_ms;              /* what recording takes */
	int64_t recorder_away_until_ms; /* the database is away for recording alone */
	struct store *thread;           /* which works; NULL: the dispatcher itself */

	struct world_delivery deliveries[WORLD_ROWS];
	size_t delivery_count;
	struct world_webhook webhooks[WORLD_WEBHOOKS];
	struct world_seen seen[WORLD_SEEN];
	size_t seen_count;
	uint64_t fatal; /* a delivery that crashes the dispatcher; 0: none */
	/* what happens next in the world, and when; NULL: nothing does */
	void (*happen)(void);
	int64_t happens_ms;

	size_t unrecorded, most_unrecorded; /* claimed, outcome not committed */
	size_t flushes[WORLD_FLUSHES];      /* outcomes in each store_complete that worked */
	size_t flush_count;
	int64_t longest_unrecorded_ms; /* from the end of an attempt to its commit */
	size_t stale;
	size_t calls_in_outage;
	int64_t look_ms;                               /* what a look at all that is due takes */
	int64_t newest_look_ms;                        /* … and one at the newest */
	size_t looks, chunks;                          /* of store_due_webhooks, of store_fail_pending */
	int64_t leased_until_ms, longest_lease_gap_ms; /* gap: time worked without a lease */
	uint64_t foreign;                              /* shards that somebody else holds */
	size_t maintained, days_kept;                  /* of store_maintain, and with the days of the history */
	bool leased, released;
	int64_t lost_ms, regained_ms; /* another dispatcher has all shards in between */
	bool dead_released_first;     /* store_owner_release was called, before any lease */
	unsigned char dead[DISPATCH_OWNER_SIZE];
	struct world_bulk bulk;
};

extern struct world world;

/* Empty, time 0, every receiver answering 200 at once, and known to have done so before. */
void world_reset(void);
/* Deliveries that come due at `due_ms`. */
void world_add(uint64_t webhook_id, size_t count, int64_t due_ms);
/* A call of the store: takes time. False while the database is away. */
bool world_reachable(void);
/* Queues a job for so many leads. */
void world_queue(uint32_t leads);
/* The oldest job that is not done, delayed or not, or NULL. */
struct world_job *world_next_job(void);
/* The same, but for those that are delayed. */
struct world_job *world_ready_job(void);
/* Another dispatcher claims all of a webhook's deliveries until then, and dies. */
void world_claim_elsewhere(uint64_t webhook_id, int64_t until_ms);
/* Its operator has all of a webhook's deliveries sent again, as store_redeliver does it. */
void world_redeliver(uint64_t webhook_id);
/* How many deliveries of a webhook (0: of all) are in that state. */
size_t world_count(uint64_t webhook_id, enum delivery_state state);

#endif
