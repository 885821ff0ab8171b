/* SPDX-License-Identifier: MIT */
#include "deliver/job_worker.h"

#include <stdlib.h>

#include "base/panic.h"
#include "jobs/job_kinds.h"
#include "os/log.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/operator_jobs.h"

/* For work that can be interrupted: other jobs wait in the meantime, and so does the end of the dispatcher. */
enum { TURN_MS = 2 * 1000 };

struct job_worker {
	struct job_worker_parts with;
	struct tasks *tasks;
	bool found;    /* there may be a job to lease */
	bool leased;   /* jobs may be leased */
	bool progress; /* for job_worker_take_progress */
	bool ending;
	atomic_bool stop; /* as `ending`, for the thread */

	/* arguments and results of the thread */
	struct {
		struct pool *pool;
		struct id_set under_way;
		bool found;
	} work;
};

/* ---- task: a turn ---- */

static int64_t
when_turn(const void *context)
{
	const struct job_worker *j = context;
	return j->ending || !j->found ? CLOCK_NEVER : 0;
}

static void
begin_turn(void *context)
{
	struct job_worker *j = context;
	j->leased = true; /* set before the request: the response may be lost */
	j->work.pool = pool_new();
	j->work.under_way = slots_ids(j->with.slots, j->work.pool);
}

static enum result
take_turn(struct store *store, void *context)
{
	struct job_worker *j = context;
	struct operator_job job;
	struct job_turn turn = { .settings = j->with.settings,
		.store = store,
		.pool = j->work.pool,
		.owner = j->with.owner,
		.under_way = j->work.under_way,
		.deadline_ms = clock_monotonic_ms() + TURN_MS,
		.stop = &j->stop,
		.job = &job };
	enum result result = store_lease_job(store, turn.pool, turn.owner, j->with.lease_ms, &job);
	j->work.found = result != RESULT_NOT_FOUND;
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND ? RESULT_OK : result;
	const int64_t begun_ms = clock_monotonic_ms();
	log_work(LOG_UINT("operator_job", job.id));
	result = job_take_turn(&turn);
	log_work_done();
	const enum result noted = store_note_turn(store, turn.pool, job.account_id, clock_monotonic_ms() - begun_ms);
	return result == RESULT_OK ? noted : result;
}

static void
took_turn(void *context, enum result result)
{
	struct job_worker *j = context;
	pool_free(&j->work.pool);
	if (result != RESULT_OK)
		return;
	j->found = j->work.found;
	j->progress = j->work.found;
}

/* ---- task: release the jobs ---- */

static int64_t
when_release(const void *context)
{
	const struct job_worker *j = context;
	return j->ending && j->leased ? 0 : CLOCK_NEVER;
}

static enum result
release(struct store *store, void *context)
{
	const struct job_worker *j = context;
	return store_release_jobs(store, j->with.owner);
}

static void
released(void *context, enum result result)
{
	struct job_worker *j = context;
	if (result == RESULT_OK)
		j->leased = false;
}

/* ---- the tasks ---- */

static const struct task table[] = {
	{ "job", when_turn, begin_turn, take_turn, took_turn },
	{ "release_jobs", when_release, NULL, release, released },
};

struct job_worker *
job_worker_new(struct store *store, const struct job_worker_parts *with)
{
	struct job_worker *j = memory_alloc(sizeof(*j));
	j->with = *with;
	j->tasks = tasks_new(with->loop, store, table, ARRAY_SIZE(table), j);
	if (j->tasks == NULL)
		job_worker_free(&j);
	return j;
}

void
job_worker_free(struct job_worker **worker)
{
	if (*worker == NULL)
		return;
	tasks_free(&(*worker)->tasks);
	pool_free(&(*worker)->work.pool);
	free(*worker);
	*worker = NULL;
}

/* Polls do not find jobs that this dispatcher leases, so only a turn clears the flag. */
void
job_worker_note_poll(struct job_worker *j, const struct due_webhooks *found)
{
	j->found = j->found || found->free_jobs;
}

void
job_worker_end(struct job_worker *j)
{
	j->ending = true;
	atomic_store(&j->stop, true);
}

bool
job_worker_has_ended(const struct job_worker *j)
{
	return j->ending && !j->leased && !tasks_are_busy(j->tasks);
}

struct tasks *
job_worker_tasks(const struct job_worker *j)
{
	return j->tasks;
}

bool
job_worker_take_progress(struct job_worker *j)
{
	const bool progress = j->progress;
	j->progress = false;
	return progress;
}

bool
job_worker_has_work(const struct job_worker *j)
{
	return j->found || tasks_are_busy(j->tasks);
}
