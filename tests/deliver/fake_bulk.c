/* SPDX-License-Identifier: MIT
 * The bulk jobs of the fake world: minimal stand-ins for decide and the store. */
#include "fake_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/panic.h"
#include "store/batch.h"

void
world_queue(uint32_t leads)
{
	struct world_job *job = &world.bulk.jobs[world.bulk.job_count++];
	*job = (struct world_job){ .total = leads };
	for (uint32_t i = 0; i < leads; i++) {
		size_t used = strlen(job->lead_ids);
		snprintf(
		    &job->lead_ids[used], sizeof(job->lead_ids) - used, used > 0 ? ",%zu" : "%zu", ++world.bulk.lead_count);
	}
}

static struct world_job *
first_job(int64_t delayed_until_ms)
{
	for (size_t i = 0; i < world.bulk.job_count; i++) {
		struct world_job *job = &world.bulk.jobs[i];
		if (job->position < job->total && job->delayed_until_ms <= delayed_until_ms)
			return job;
	}
	return NULL;
}

struct world_job *
world_next_job(void)
{
	return first_job(INT64_MAX);
}

struct world_job *
world_ready_job(void)
{
	return first_job(world.now_ms);
}

enum result
store_next_job(struct store *store UNUSED, struct pool *pool, struct bulk_job *job)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	const struct world_job *next = world_ready_job();
	if (next == NULL)
		return RESULT_NOT_FOUND;
	*job = (struct bulk_job){
		.id = (uint64_t)(next - world.bulk.jobs) + 1,
		.campaign_id = 7,
		.action = next->unknown ? LEAD_ACTIONS : LEAD_BLOCK,
		.tag_id = 8,
		.argument = SLICE("bounced"),
		.lead_ids = pool_copy(pool, slice_of(next->lead_ids)),
		.position = next->position,
		.total = next->total,
		.failures = next->failures,
	};
	return RESULT_OK;
}

/* Aborts when a command does not belong to the job. */
static void
check_command(const struct command *command)
{
	const struct lead_change *change = &command->as.change;
	if (command->kind != COMMAND_CHANGE || command->campaign_id != 7 || command->account_id != 0 ||
	    change->action != LEAD_BLOCK || change->lead.identity != LEAD_BY_ID || change->tag_id != 8 ||
	    !slice_equal(change->argument, SLICE("bounced")))
		abort();
}

static void
move_on(struct world_job *job)
{
	job->position++;
	job->failures = 0;
	job->delayed_until_ms = 0;
}

static enum failure
do_item(struct world_job *job, uint64_t lead_id)
{
	if (world.bulk.fatal != 0 && lead_id == world.bulk.fatal)
		panic("poison");
	if (lead_id == world.bulk.broken)
		return FAILURE_INTERNAL;
	if (lead_id == world.bulk.stuck)
		return FAILURE_UNAVAILABLE;
	move_on(job);
	if (lead_id == world.bulk.deleted)
		return FAILURE_LEAD_NOT_FOUND;
	world.bulk.done[lead_id]++;
	if (world.bulk.webhook != 0)
		world_add(world.bulk.webhook, 1, world.now_ms);
	return FAILURE_NONE;
}

static void
other_dispatcher_works(struct world_job *job, uint64_t lead_id)
{
	for (size_t i = 0; i < world.bulk.other_dispatcher_items && job->position < job->total; i++)
		if (do_item(job, lead_id + i) == FAILURE_INTERNAL)
			return;
}

void
store_execute(struct store *store UNUSED, struct pool *pool UNUSED, struct execution *execution)
{
	const struct command *const *commands = execution->commands;
	struct outcome *outcomes = execution->outcomes;
	const size_t count = execution->count;
	bool too_large = world.bulk.most > 0 && count > world.bulk.most;
	bool reachable = world_reachable() && world.now_ms >= world.bulk.busy_until_ms && !too_large;
	if (world.bulk.chunks++ == 0)
		world.bulk.first_ms = world.now_ms;
	world.bulk.last_ms = world.now_ms;
	world.now_ms += world.bulk.chunk_ms;
	if (count > world.bulk.largest_chunk)
		world.bulk.largest_chunk = count;
	if (reachable)
		other_dispatcher_works(&world.bulk.jobs[commands[0]->as.change.job_id - 1], commands[0]->as.change.lead.id);
	for (size_t i = 0; i < count; i++) {
		const struct lead_change *change = &commands[i]->as.change;
		struct world_job *job = &world.bulk.jobs[change->job_id - 1];
		check_command(commands[i]);
		outcomes[i] = (struct outcome){ .failure = FAILURE_NOT_FOUND }; /* a change that is not at the job's position */
		if (!reachable)
			outcomes[i].failure = FAILURE_UNAVAILABLE;
		else if (job->position == change->job_position)
			outcomes[i].failure = do_item(job, change->lead.id);
	}
}

enum result
store_skip_job_item(struct store *store UNUSED, uint64_t job_id, uint32_t position)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	struct world_job *job = &world.bulk.jobs[job_id - 1];
	if (job->position == position)
		move_on(job);
	return RESULT_OK;
}

enum result
store_postpone_job(struct store *store UNUSED, uint64_t job_id, int64_t delay_ms)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.bulk.jobs[job_id - 1].delayed_until_ms = world.now_ms + delay_ms;
	return RESULT_OK;
}

enum result
store_delay_job(struct store *store UNUSED, uint64_t job_id, uint32_t position, uint32_t failures, int64_t delay_ms)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	struct world_job *job = &world.bulk.jobs[job_id - 1];
	world.bulk.delays++;
	if (job->position == position && job->failures == failures) {
		job->failures++;
		job->delayed_until_ms = world.now_ms + delay_ms;
	}
	return RESULT_OK;
}
