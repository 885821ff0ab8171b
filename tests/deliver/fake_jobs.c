/* SPDX-License-Identifier: MIT
 * The jobs of operators of the fake world: a stand-in for their store, and what a turn does. */
#include "fake_world.h"

#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/panic.h"
#include "jobs/job_kinds.h"

struct world_operator_job *
world_add_job(unsigned turns)
{
	struct world_operator_job *job = &world.operators.jobs[world.operators.job_count++];
	*job = (struct world_operator_job){ .turns = turns, .turn_ms = 1 };
	return job;
}

static bool
is_free(const struct world_operator_job *job)
{
	return job->ended_ms == 0 && job->leased_until_ms <= world.now_ms;
}

bool
world_has_free_job(void)
{
	bool found = false;
	for (size_t i = 0; i < world.operators.job_count; i++)
		found = found || is_free(&world.operators.jobs[i]);
	return found;
}

enum result
store_lease_job(struct store *store UNUSED, struct pool *pool UNUSED, const unsigned char owner[DISPATCH_OWNER_SIZE],
    int64_t lease_ms, struct operator_job *leased)
{
	struct world_operator_job *next = NULL;
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.operators.leases++;
	for (size_t i = 0; i < world.operators.job_count; i++) {
		struct world_operator_job *job = &world.operators.jobs[i];
		const bool own = job->ended_ms == 0 && memcmp(job->owner, owner, DISPATCH_OWNER_SIZE) == 0;
		if (!job->unknown && (is_free(job) || own) && (next == NULL || job->served_ms < next->served_ms))
			next = job;
	}
	if (next == NULL)
		return RESULT_NOT_FOUND;
	memcpy(next->owner, owner, DISPATCH_OWNER_SIZE);
	next->leased_until_ms = world.now_ms + lease_ms;
	next->served_ms = world.now_ms;
	*leased = (struct operator_job){ .id = (uint64_t)(next - world.operators.jobs) + 1, .state = JOB_RUNNING };
	return RESULT_OK;
}

enum result
job_take_turn(struct job_turn *turn)
{
	struct world_operator_job *job = &world.operators.jobs[turn->job->id - 1];
	if (memcmp(job->owner, turn->owner, DISPATCH_OWNER_SIZE) != 0)
		abort();
	if (job->fatal)
		panic("poison");
	if (turn->under_way.count > world.operators.under_way)
		world.operators.under_way = turn->under_way.count;
	world.now_ms += job->turn_ms;
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	job->taken++;
	if (world.operators.redelivers != 0)
		world_add(world.operators.redelivers, 1, world.now_ms);
	if (--job->turns == 0)
		job->ended_ms = world.now_ms;
	return RESULT_OK;
}

enum result
store_note_turn(struct store *store UNUSED, struct pool *pool UNUSED, uint64_t account_id UNUSED, int64_t took_ms)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.operators.noted_ms += took_ms;
	return RESULT_OK;
}

enum result
store_release_jobs(struct store *store UNUSED, const unsigned char owner[DISPATCH_OWNER_SIZE])
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.operators.releases++;
	for (size_t i = 0; i < world.operators.job_count; i++)
		if (memcmp(world.operators.jobs[i].owner, owner, DISPATCH_OWNER_SIZE) == 0)
			world.operators.jobs[i].leased_until_ms = 0;
	return RESULT_OK;
}

enum result
store_fail_job(struct store *store UNUSED, uint64_t id, struct slice error UNUSED)
{
	if (!world_reachable())
		return RESULT_UNAVAILABLE;
	world.operators.jobs[id - 1].failed = true;
	world.operators.jobs[id - 1].ended_ms = world.now_ms;
	return RESULT_OK;
}
