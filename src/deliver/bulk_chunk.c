/* SPDX-License-Identifier: MIT */
#include "deliver/bulk_chunk.h"

#include <inttypes.h>

#include "base/duration.h"
#include "deliver/crashes.h"
#include "engine/id_list.h"
#include "os/clock.h"
#include "os/log.h"
#include "store/batch.h"
#include "store/queue/bulk_jobs.h"

/* Less than the time that the shortest lease leaves for its renewal (dispatcher.h). */
enum { CHUNK_MS = 5 * 1000 };

/* A failing job is delayed, four times as long after each failure, while other work continues. An item that fails FAILURES_MAX
 * times on its own is skipped. This takes nearly two hours, so a fault that is fixed within that time skips no item. */
enum { DELAY_MS = 5 * SECOND_MS, DELAY_MAX_MS = 5 * MINUTE_MS, FAILURES_MAX = 24 };

static const struct command *
make_command(struct pool *pool, const struct bulk_job *job, uint32_t position, uint64_t lead_id)
{
	struct command *command = POOL_NEW(pool, struct command);
	command->kind = COMMAND_CHANGE;
	command->campaign_id = job->campaign_id;
	command->as.change = (struct lead_change){
		.action = job->action,
		.lead = { .identity = LEAD_BY_ID, .id = lead_id },
		.tag_id = job->tag_id,
		.argument = job->argument,
		.points = job->points,
		.message = job->message,
		.made_by = job->made_by,
		.job_id = job->id,
		.job_position = position,
	};
	return command;
}

/* Starts at the job's position and returns the number of commands. After a failure only one item is run, so that it has the
 * full time limit and no other item fails with it. */
static size_t
make_commands(struct pool *pool, const struct bulk_job *job, size_t most, const struct command *commands[BULK_CHUNK])
{
	struct slice rest = job->lead_ids;
	size_t count = 0;
	uint64_t lead_id;
	for (uint32_t at = 0; at < job->total && count < most && id_list_next(&rest, &lead_id); at++)
		if (at >= job->position)
			commands[count++] = make_command(pool, job, at, lead_id);
	return count;
}

static enum result
skip_item(struct store *store, uint64_t job_id, uint32_t position, uint64_t lead_id)
{
	enum result result = store_skip_job_item(store, job_id, position);
	if (result == RESULT_OK)
		log_error("bulk_item_skipped", LOG_UINT("job", job_id), LOG_UINT("item", position), LOG_UINT("lead", lead_id));
	return result;
}

/* A program of a later version has queued the job: its dispatcher, or this one after the upgrade, carries it out. */
static enum result
postpone_job(struct store *store, const struct bulk_job *job)
{
	const int64_t delay_ms = DELAY_MAX_MS;
	enum result result = store_postpone_job(store, job->id, delay_ms);
	if (result == RESULT_OK)
		log_warning("bulk_job_unknown", LOG_UINT("job", job->id), LOG_INT("delay_ms", delay_ms),
		    LOG_STR("hint", "upgrade this host: the change is of a later version"));
	return result;
}

/* Handles an item that failed. If the database is unavailable, this also fails. */
static enum result
delay_job(struct store *store, const struct lead_change *item, uint32_t failures)
{
	if (failures >= FAILURES_MAX)
		return skip_item(store, item->job_id, item->job_position, item->lead.id);
	int64_t delay_ms = (int64_t)DELAY_MS << (2 * failures);
	if (delay_ms > DELAY_MAX_MS)
		delay_ms = DELAY_MAX_MS;
	enum result result = store_delay_job(store, item->job_id, item->job_position, failures, delay_ms);
	if (result == RESULT_OK)
		log_warning("bulk_job_delayed", LOG_UINT("job", item->job_id), LOG_UINT("item", item->job_position),
		    LOG_UINT("failures", failures + 1), LOG_INT("delay_ms", delay_ms));
	return result;
}

/* The job's position stays at the first failed item, so the items after it run again. When failures were counted, the chunk has
 * only one item, so no earlier item can have moved the position and reset the count. */
static enum result
delay_if_failed(
    struct store *store, const struct command *const *commands, size_t count, const struct outcome *outcomes, uint32_t failures)
{
	for (size_t i = 0; i < count; i++) {
		if (outcomes[i].failure == FAILURE_UNAVAILABLE || outcomes[i].failure == FAILURE_INTERNAL)
			return delay_job(store, &commands[i]->as.change, failures);
	}
	return RESULT_OK;
}

enum result
bulk_run_chunk(struct store *store, struct pool *pool, const struct crashes *crashes, bool *more)
{
	struct bulk_job job;
	const struct command *commands[BULK_CHUNK];
	struct outcome outcomes[BULK_CHUNK];
	enum result result = store_next_job(store, pool, &job);
	*more = result != RESULT_NOT_FOUND;
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND ? RESULT_OK : result;
	if (job.action == LEAD_ACTIONS)
		return postpone_job(store, &job);
	const size_t most = job.failures == 0 && !crashes_suspect_job(crashes, job.id) ? BULK_CHUNK : 1;
	size_t count = make_commands(pool, &job, most, commands);
	if (count == 0) /* the list has fewer leads than `total`: without this the job would never end */
		return skip_item(store, job.id, job.position, 0);
	if (count > 1)
		log_work(LOG_UINT("job", job.id));
	else
		log_work(LOG_BYTES("job_item", pool_printf(pool, "%" PRIu64 "/%" PRIu32, job.id, job.position)));
	store_execute(store, pool,
	    &(struct execution){
		.commands = commands, .count = count, .deadline_ms = clock_monotonic_ms() + CHUNK_MS, .outcomes = outcomes });
	log_work_done();
	return delay_if_failed(store, commands, count, outcomes, job.failures);
}
