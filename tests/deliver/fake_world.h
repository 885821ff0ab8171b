/* SPDX-License-Identifier: MIT
 * A database, receivers and a clock in memory, in place of the store, deliver/send/sender.c and clock_monotonic_ms: hours pass
 * in milliseconds. The clock advances only while the dispatcher waits, and by WORLD_CALL_MS with each call of the store. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deliver/send/sender.h"
#include "store/heartbeats.h"
#include "store/queue/bulk_jobs.h"
#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/lead_counts.h"
#include "store/queue/outcomes.h"
#include "store/queue/shards.h"
#include "store/removal/campaigns.h"
#include "store/removal/resume.h"

enum {
	WORLD_ROWS = 16384,
	WORLD_WEBHOOKS = 1101, /* ids 1 to 1100 */
	WORLD_ATTEMPTS = 64,   /* recorded per delivery */
	WORLD_FLUSHES = 4096,
	WORLD_ANSWERS = 16, /* maximum entries of a script */
	WORLD_SEEN = 65536, /* attempts that receivers record */
	WORLD_JOBS = 8,
	WORLD_JOB_LEADS = 250,
	WORLD_THREADS = 4,
	WORLD_OPERATOR_JOBS = 8,
	WORLD_CALL_MS = 1
};

/* The stores of the dispatcher's threads. */
#define WORLD_FEEDER ((struct store *)&world.poll_ms)
#define WORLD_RECORDER ((struct store *)&world.record_ms)
#define WORLD_MAINTENANCE ((struct store *)&world.bulk)
#define WORLD_OPERATOR ((struct store *)&world.operators)

/* The database's clock minus ours. */
#define WORLD_DATABASE_AHEAD_MS INT64_C(1790000000000)

struct world_delivery {
	uint64_t id, webhook_id;
	int64_t due_ms; /* all times here are those of the dispatcher's clock */
	int64_t born_ms;
	unsigned attempts; /* recorded, or counted by store_recover */
	unsigned attempts_before;
	enum delivery_state state;
	char error[16];        /* error of the last outcome; "": none */
	size_t logged;         /* outcomes recorded */
	unsigned under_way_in; /* the run that is sending it, or has not recorded it yet; 0: none */
	unsigned started;      /* how often it was started */
	int64_t started_ms[WORLD_ATTEMPTS];
};

/* A response of a receiver, given `times` times. */
struct world_answer {
	int status;
	enum sender_error error;
	const char *retry_after; /* or NULL */
	unsigned times;
};

/* An attempt as its receiver saw it. */
struct world_seen {
	int64_t at_ms;
	uint64_t webhook_id;
	unsigned signatures;
};

struct world_webhook {
	enum webhook_state state;
	bool deleted_after_poll;      /* deleted between the poll and the fetch */
	bool sealed;                  /* its secret cannot be opened */
	bool stuck;                   /* reported as deleted, but has no deliveries to end */
	bool cannot_be_ended;         /* ending its deliveries meets a lock */
	bool cannot_be_deactivated;   /* its deactivation meets a lock */
	size_t deactivation_attempts; /* attempts to deactivate it */
	/* as recorded */
	int64_t hold_until_ms, failing_since_ms;
	unsigned failures, probes;
	bool succeeded;
	/* as set by the operator */
	uint64_t account_id;
	unsigned rate;
	const char *schedule, *previous_secret; /* NULL: none */
	int64_t previous_until_ms;
	/* the response of its receiver */
	int status;
	enum sender_error error;
	int64_t latency_ms;
	const char *retry_after;
	size_t fails_first;                        /* this many attempts get a 500 first */
	struct world_answer script[WORLD_ANSWERS]; /* replaces the response; the last entry repeats */
	size_t script_count, script_at;
	/* what it received */
	size_t in_flight, most_in_flight, received;
};

/* A bulk job; its id is its index + 1. Lead ids are consecutive over all jobs, from 1. */
struct world_job {
	char lead_ids[WORLD_JOB_LEADS * 5];
	uint32_t position, total, failures;
	int64_t delayed_until_ms;
	bool unknown; /* its change is one of a later version */
};

struct world_bulk {
	struct world_job jobs[WORLD_JOBS];
	size_t job_count, lead_count;
	unsigned done[WORLD_JOBS * WORLD_JOB_LEADS + 1]; /* how often each lead was changed */
	uint64_t broken, deleted;                        /* leads: one at which the store fails, one that was deleted */
	uint64_t fatal;                                  /* a lead that crashes the dispatcher */
	uint64_t webhook;                                /* gets a delivery for each changed lead; 0: none */
	size_t other_dispatcher_items;                   /* items that another dispatcher completes before each chunk of ours */
	int64_t chunk_ms;                                /* duration of a chunk */
	int64_t busy_until_ms;                           /* chunks fail until this time, although the database responds */
	uint64_t stuck;                                  /* this lead always fails */
	size_t most;                                     /* chunks with more items fail; 0: no limit */
	size_t delays;                                   /* calls of store_delay_job */
	size_t chunks, largest_chunk;
	int64_t first_ms, last_ms; /* start of the first and of the last chunk */
};

/* A job of an operator; its id is its index + 1. */
struct world_operator_job {
	unsigned turns;  /* turns that are left */
	unsigned taken;  /* turns that were taken */
	int64_t turn_ms; /* duration of a turn */
	int64_t served_ms;
	bool fatal;                               /* a turn crashes the dispatcher */
	bool unknown;                             /* its kind is one of a later version */
	unsigned char owner[DISPATCH_OWNER_SIZE]; /* owner of the lease */
	int64_t leased_until_ms;
	int64_t ended_ms; /* 0: it has not ended */
	bool failed;
};

struct world_operators {
	struct world_operator_job jobs[WORLD_OPERATOR_JOBS];
	size_t job_count;
	uint64_t redelivers; /* each turn makes a delivery of this webhook due; 0: none */
	size_t under_way;    /* the most deliveries under way that a turn has seen */
	size_t leases, releases;
	int64_t noted_ms; /* sum of the durations of turns */
};

struct world {
	int64_t now_ms;
	int64_t suspended_ms;                    /* how long the host was suspended */
	int64_t stop_ms;                         /* time of SIGTERM; -1: never */
	int64_t outage_from_ms, outage_until_ms; /* the database is unavailable */
	int64_t lost_commit_ms; /* the first store_record_outcomes after this time commits, but returns UNKNOWN; -1: none */
	int64_t fetch_ms;       /* duration of a fetch, after it has read the rows */
	bool poll_fails;        /* full polls fail */
	uint64_t poison;        /* outcomes of this delivery are always rejected */
	uint64_t blocked;       /* outcomes of this delivery meet a conflict … */
	uint64_t blocked_webhook;
	int64_t blocked_ms; /* duration of a conflict */
	int64_t blocked_from_ms, blocked_until_ms;
	size_t blocked_with; /* how many other outcomes were in a batch with a conflict */
	size_t conflicts;
	size_t lock_waits;              /* lock waits of store_deactivate_webhook, one second each */
	int64_t record_ms;              /* duration of store_record_outcomes */
	int64_t recorder_away_until_ms; /* the database is unavailable for the recorder only */
	struct store *thread;           /* the running thread; NULL: the dispatcher */
	bool several_accounts;          /* whether the webhooks belong to several accounts */
	unsigned run;                   /* number of the dispatcher, from 1 */

	struct world_delivery deliveries[WORLD_ROWS];
	size_t delivery_count;
	struct world_webhook webhooks[WORLD_WEBHOOKS];
	struct world_seen seen[WORLD_SEEN];
	size_t seen_count;
	uint64_t fatal;  /* a delivery that crashes the dispatcher; 0: none */
	uint64_t killer; /* a delivery whose attempt ends with a kill of the process; 0: none */
	/* the next event of the scenario and its time; NULL: none */
	void (*happen)(void);
	int64_t happens_ms;

	size_t wakes;                       /* number of wakes that the dispatcher got */
	size_t unrecorded, most_unrecorded; /* deliveries that were sent, but whose outcomes are not committed */
	size_t flushes[WORLD_FLUSHES];      /* number of outcomes of each successful store_record_outcomes */
	size_t flush_count;
	int64_t longest_unrecorded_ms; /* longest time from the end of an attempt to its commit */
	size_t stale;
	size_t calls_in_outage;
	int64_t poll_ms;                               /* duration of a full poll */
	int64_t newest_poll_ms;                        /* … and of a poll of the newest rows */
	size_t polls, fetches, chunks;                 /* calls of store_due_webhooks, store_fetch_due and store_fail_pending */
	size_t newest_polls;                           /* how many of the polls were polls of the newest rows */
	size_t refreshes;                              /* refreshes of statistics */
	unsigned char owner[DISPATCH_OWNER_SIZE];      /* owner of the lease */
	int64_t leased_until_ms, longest_lease_gap_ms; /* gap: time of work without a lease */
	uint64_t foreign;                              /* shards that another dispatcher holds */
	size_t clean_ups;                              /* calls of store_clean_up */
	size_t uncounted;                              /* chunks of leads whose sources are not counted yet */
	size_t removal_turns;                          /* turns that are left of a removal */
	int64_t removal_ms;                            /* duration of each turn */
	uint64_t erasure_left, removal_left;           /* the last erasure and the last removal that were postponed … */
	int64_t left_ms;                               /* … and for how long */
	bool leased, released;
	int64_t lease_fails_from_ms;    /* leases fail from this time on; 0: never */
	int64_t lost_ms, regained_ms;   /* between these times another dispatcher has all shards */
	size_t failing_recoveries;      /* this many calls of store_recover meet a conflict */
	size_t recoveries, interrupted; /* calls of store_recover before any lease; attempts that they counted */
	int64_t recovery_delay_ms;      /* the longest delay until a next attempt */
	unsigned char dead[DISPATCH_OWNER_SIZE];
	struct world_bulk bulk;
	struct world_operators operators;
};

extern struct world world;

/* Resets to an empty world at time 0. Every receiver answers 200 at once and has succeeded before. */
void world_reset(void);
/* Adds deliveries that are due at `due_ms`. */
void world_add(uint64_t webhook_id, size_t count, int64_t due_ms);
/* Called by each function of the store; advances the clock. Returns false while the database is unavailable. */
bool world_reachable(void);
/* Queues a job with this many leads. */
void world_queue(uint32_t leads);
/* Adds a job of an operator that takes this many turns. */
struct world_operator_job *world_add_job(unsigned turns);
bool world_has_free_job(void);
/* Returns the oldest job that is not done, delayed or not, or NULL. */
struct world_job *world_next_job(void);
/* Returns the oldest job that is neither done nor delayed, or NULL. */
struct world_job *world_ready_job(void);
/* Runs the function in a process of its own, which is killed by the attempt of `killer`. Afterwards the world is as that
 * process left it. */
void world_run_to_the_kill(void (*run)(void));
/* Called by the sender when an attempt begins. Fails the test if an attempt of the same delivery is under way. */
void world_note_start(uint64_t delivery_id);
void world_kill(void);
/* Redelivers all deliveries of a webhook, as store_redeliver does. */
void world_redeliver(uint64_t webhook_id);
/* Returns how many deliveries of a webhook (0: of all webhooks) have this state. */
size_t world_count(uint64_t webhook_id, enum delivery_state state);
