/* SPDX-License-Identifier: MIT
 * Jobs of operators: operations that take longer than a request may, or that responders must not do, and that a dispatcher
 * carries out (docs/architecture.md 6.1). What each kind does is in src/jobs.
 *
 * Times are the database's. Functions fail as described in store.h; all but store_add_job may be repeated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "base/slice.h"
#include "store/commit_marks.h"
#include "store/queue/shards.h"

struct store;

enum job_kind {
	JOB_REDELIVERY,    /* parameters: a filter of deliveries */
	JOB_WEBHOOK_TEST,  /* a webhook */
	JOB_MAIL_TEST,     /* an address */
	JOB_SAMPLE_MAIL,   /* an address, a kind of mail, a language */
	JOB_ADDRESS_COUNT, /* none: counts leads of its campaign by address, after a change of max_per_ip */
	JOB_KINDS          /* a kind of a later version */
};

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED, JOB_STATES };
/* "queued", …; absent for JOB_STATES. */
struct slice job_state_name(enum job_state state);

enum {
	OPERATOR_JOBS_MAX = 20, /* jobs of an account that have not ended */
	JOB_MADE_BY_MAX = 255   /* bytes */
};

/* What to do. Texts must stay valid during the call. */
struct job_request {
	uint64_t account_id;  /* 0: the job belongs to the installation */
	uint64_t campaign_id; /* 0: to no campaign */
	enum job_kind kind;
	struct slice parameters; /* a JSON object, as src/jobs writes it */
	struct slice made_by;    /* the caller, for people: valid UTF-8, at most JOB_MADE_BY_MAX bytes */
};
/* Queues the job. RESULT_TOO_MANY: the account already has OPERATOR_JOBS_MAX. */
MUST_CHECK enum result store_add_job(
    struct store *store, const struct precondition *precondition, const struct job_request *request, uint64_t *id);
/* As store_add_job, but as the last part of the caller's transaction, whose runs all have the same token. */
struct queued_job {
	struct commit_token token; /* a new one */
	uint64_t id;               /* set */
};
MUST_CHECK enum result store_insert_job(struct store *store, struct pool *pool, const struct precondition *precondition,
    const struct job_request *request, struct queued_job *queued);

struct operator_job {
	uint64_t id, account_id, campaign_id; /* as in struct job_request */
	enum job_kind kind;
	struct slice kind_name; /* may be a kind that this program does not have */
	struct slice parameters, made_by;
	enum job_state state;
	uint64_t done, total;                     /* total 0: not known */
	uint64_t position;                        /* where it continues, in the units of its kind; 0: at the beginning */
	struct slice result, error;               /* a JSON object with the result so far; why it failed; each may be absent */
	int64_t created_ms, started_ms, ended_ms; /* -1: not yet */
};

/* Which jobs to list; 0: of any account, of any campaign, from the newest on. */
struct job_filter {
	uint64_t account_id;
	uint64_t campaign_id; /* its account is not compared */
	uint64_t below;       /* only lower ids: the id of the last job on the previous page */
	size_t limit;
};
/* By id, the newest first. In the pool. */
MUST_CHECK enum result store_list_jobs(
    struct store *store, struct pool *pool, const struct job_filter *filter, struct operator_job **jobs, size_t *count);
/* RESULT_NOT_FOUND: no such job, here and below. */
MUST_CHECK enum result store_find_job(struct store *store, struct pool *pool, uint64_t id, struct operator_job *job);
/* Ends a job that has not ended. Its finished work stays; what is under way is completed, but not recorded. RESULT_REFUSED: it
 * has already ended. */
MUST_CHECK enum result store_cancel_job(struct store *store, uint64_t id);

/* ---- for the dispatcher ---- */

/* Leases a job of the account that was worked for longest ago: the one that was worked on longest ago. It may be a job that the
 * owner already leases: its lease is renewed. RESULT_NOT_FOUND: there is no job of a kind that this program has and that no
 * other dispatcher leases. */
MUST_CHECK enum result store_lease_job(struct store *store, struct pool *pool, const unsigned char owner[DISPATCH_OWNER_SIZE],
    int64_t lease_ms, struct operator_job *job);
/* After a turn: the account's next turn comes when the other waiting accounts have had as much time, even if its job has ended
 * and another one is added. */
MUST_CHECK enum result store_note_turn(struct store *store, struct pool *pool, uint64_t account_id, int64_t took_ms);
/* Records `done`, `total`, `position` and `result`. It may run inside a transaction, which must be rolled back if this fails.
 * RESULT_NOT_FOUND: the job has ended, was removed, or is leased by another dispatcher: stop working on it. */
MUST_CHECK enum result store_note_job(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], const struct operator_job *job);
/* Ends the job: records what store_note_job records, and its `state` and `error`. */
MUST_CHECK enum result store_end_job(
    struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE], const struct operator_job *job);
/* Ends a job as failed, no matter which dispatcher leases it. Does nothing if it has ended. */
MUST_CHECK enum result store_fail_job(struct store *store, uint64_t id, struct slice error);
/* Ends the leases of a dispatcher; any other can continue the jobs. */
MUST_CHECK enum result store_release_jobs(struct store *store, const unsigned char owner[DISPATCH_OWNER_SIZE]);
