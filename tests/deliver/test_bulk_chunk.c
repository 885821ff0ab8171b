/* SPDX-License-Identifier: MIT
 * Bulk jobs (docs/api.md 4.1, docs/architecture.md 6), in the dispatcher's fake world. */
#include "unit.h"

#include <string.h>

#include "captured_log.h"
#include "deliver/bulk_chunk.h"
#include "run_dispatcher.h"

/* Every lead except `left` was changed once. */
static void
assert_done_once(uint64_t left)
{
	assert_null(world_next_job());
	for (uint64_t id = 1; id <= world.bulk.lead_count; id++)
		assert_int_equal(world.bulk.done[id], id == left ? 0 : 1);
}

static size_t
chunks_of(size_t leads)
{
	return (leads + BULK_CHUNK - 1) / BULK_CHUNK;
}

static void
cron_works_until_no_job_is_left(void **state UNUSED)
{
	world_queue(250);
	world_queue(1);
	world_queue(26);
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	assert_int_equal(world.bulk.largest_chunk, BULK_CHUNK);
	assert_int_equal(world.bulk.chunks, chunks_of(250) + 1 + 2);
	assert_true(world.now_ms < SECOND);
}

/* Events of bulk jobs are delivered in the same run. */
static void
events_of_jobs_are_delivered(void **state UNUSED)
{
	world_queue(100);
	world.bulk.webhook = 1;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 100);
}

/* Deliveries and bulk jobs do not wait for each other. */
static void
sending_goes_on_between_chunks(void **state UNUSED)
{
	for (size_t i = 0; i < WORLD_JOBS; i++)
		world_queue(250);
	for (int64_t at = 0; at < 40; at++)
		world_add(1, 1, at * 100);
	world.bulk.chunk_ms = 50;
	world_add(2, PER_WEBHOOK, 0);
	world.webhooks[2].latency_ms = 15 * SECOND;
	stay_until(10 * SECOND);
	assert_done_once(0);
	assert_true(world.bulk.last_ms - world.bulk.first_ms > 3 * SECOND);
	for (size_t i = 0; i < 40; i++)
		assert_true(
		    world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <= 2 * (world.bulk.chunk_ms + POLL));
}

/* docs/architecture.md 8: a long removal takes no more time than bulk jobs, although each of its turns takes longer than a
 * chunk. */
static void
a_long_removal_leaves_half_of_the_time(void **state UNUSED)
{
	for (size_t i = 0; i < 4; i++)
		world_queue(250);
	world.bulk.chunk_ms = 20;
	world.removal_turns = 1000;
	world.removal_ms = 200;
	stay_until(20 * SECOND);
	assert_done_once(0);
	assert_in_range(world.removal_turns, 1, 999);
	assert_in_range(world.bulk.last_ms - world.bulk.first_ms, world.bulk.chunk_ms * 40, world.bulk.chunk_ms * 40 * 5 / 2);
}

/* No chunk starts after the time limit; the next run continues the job. */
static void
no_chunk_starts_after_the_time_limit(void **state UNUSED)
{
	options.max_runtime_ms = SECOND;
	world_queue(250);
	world.bulk.chunk_ms = 200;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_in_range(world.bulk.last_ms, SECOND / 2, SECOND - 1);
	assert_in_range(world.bulk.jobs[0].position, BULK_CHUNK, 6 * BULK_CHUNK);
	options.max_runtime_ms = MINUTE;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
}

static void
no_chunk_starts_after_term(void **state UNUSED)
{
	world_queue(250);
	world.bulk.chunk_ms = 200;
	stay_until(SECOND);
	assert_in_range(world.bulk.last_ms, SECOND / 2, SECOND - 1);
	assert_int_equal(world.bulk.jobs[0].position, world.bulk.chunks * BULK_CHUNK);
	assert_non_null(world_next_job());
}

static void
a_daemon_starts_jobs_queued_later(void **state UNUSED)
{
	stay_until(SECOND);
	world_queue(30);
	stay_until(world.now_ms + SECOND);
	assert_done_once(0);
	assert_true(world.bulk.first_ms - SECOND <= 2 * POLL);
}

/* A lead that causes an internal error does not block other jobs, and is done after the error is fixed. */
static void
a_defect_blocks_only_its_own_job(void **state UNUSED)
{
	world_queue(60);
	world_queue(10);
	world.bulk.broken = 37;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world.bulk.jobs[0].position, 36);
	assert_int_equal(world.bulk.jobs[1].position, 10);
	world.bulk.broken = 0;
	world.now_ms += 5 * SECOND;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	const char *log = captured_log();
	assert_int_equal(count_in(log, "bulk_job_delayed job=1 item=36 "), 1);
	assert_int_equal(count_in(log, "bulk_item_skipped"), 0);
}

/* docs/architecture.md 6: during an upgrade, older dispatchers leave the jobs of newer programs to them, and do the others. */
static void
a_job_of_a_later_version_waits(void **state UNUSED)
{
	world_queue(10);
	world_queue(10);
	world.bulk.jobs[0].unknown = true;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world.bulk.jobs[0].position, 0);
	assert_int_equal(world.bulk.jobs[0].failures, 0);
	assert_int_equal(world.bulk.jobs[1].position, 10);
	world.bulk.jobs[0].unknown = false;
	world.now_ms += 5 * MINUTE;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	assert_int_equal(count_in(captured_log(), "bulk_job_unknown job=1 "), 1);
}

static void
a_lead_that_was_deleted_counts_as_done(void **state UNUSED)
{
	world_queue(30);
	world.bulk.deleted = 30;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(30);
	assert_int_equal(count_in(captured_log(), "bulk_item_skipped"), 0);
	assert_int_equal(world.bulk.chunks, 2);
}

/* Even a job whose list has too few leads must not block the queue forever. */
static void
a_list_with_too_few_leads_ends(void **state UNUSED)
{
	world_queue(26);
	strcpy(strchr(strchr(world.bulk.jobs[0].lead_ids, ',') + 1, ','), ",x");
	world_queue(1);
	world.bulk.lead_count = 2;
	world.bulk.done[27] = 0;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	assert_int_equal(world.bulk.done[27], 1);
	assert_int_equal(count_in(captured_log(), "bulk_item_skipped job=1 "), 24);
}

static void
an_outage_neither_loses_nor_repeats(void **state UNUSED)
{
	world_queue(250);
	world.bulk.chunk_ms = 10;
	world.outage_from_ms = 50;
	world.outage_until_ms = 20 * SECOND;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	assert_in_range(world.calls_in_outage, 5, 4 * 20); /* calls of each task */
}

static void
a_failed_chunk_is_retried_later(void **state UNUSED)
{
	world_queue(250);
	world.bulk.busy_until_ms = 10 * SECOND;
	stay_until(MINUTE);
	assert_done_once(0);
	/* at once, after 5 seconds and after 20 more; the lead then succeeds alone, and the rest runs in chunks again */
	assert_int_equal(world.bulk.chunks, 2 + 1 + chunks_of(249));
	assert_in_range(world.bulk.last_ms, 25 * SECOND, 26 * SECOND);
}

/* A lead that always fails blocks neither other jobs nor, in the end, the items after it. It is retried for as long as a lead
 * that meets a lock. */
static void
a_lead_that_always_fails_blocks_nothing(void **state UNUSED)
{
	world_queue(60);
	world_queue(250);
	world.bulk.stuck = 37;
	capture_log();
	stay_until(MINUTE);
	const struct world_job *rest = world_next_job();
	assert_ptr_equal(rest, &world.bulk.jobs[0]);
	assert_int_equal(rest->position, 36);
	assert_int_equal(world.bulk.jobs[1].position, 250);
	stay_until(105 * MINUTE);
	assert_ptr_equal(world_next_job(), rest);
	stay_until(110 * MINUTE);
	assert_done_once(37);
	const char *log = captured_log();
	assert_int_equal(count_in(log, "bulk_job_delayed"), world.bulk.delays);
	assert_int_equal(count_in(log, "bulk_item_skipped"), 1);
	assert_non_null(strstr(log, " bulk_item_skipped job=1 item=36 lead=37\n"));
}

/* Items that were done within the time limit stay done. Items that together exceed the limit run one at a time. */
static void
a_slow_chunk_is_done_one_by_one(void **state UNUSED)
{
	world_queue(30);
	world.bulk.most = 1;
	stay_until(30 * 6 * SECOND);
	assert_done_once(0);
	assert_int_equal(world.bulk.delays, 29); /* the last item is a chunk of one */
}

/* A later run does the delayed jobs. */
static void
cron_does_not_wait_for_delayed_work(void **state UNUSED)
{
	world_queue(1);
	world_queue(30);
	world.bulk.stuck = 1;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_in_range(world.now_ms, 0, SECOND);
	assert_int_equal(world.bulk.delays, 1);
	assert_int_equal(world.bulk.jobs[1].position, 30);
	world.bulk.stuck = 0;
	world.now_ms += 5 * SECOND;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
}

/* A dispatcher continues a job at its current position, even when another one has moved it. */
static void
two_dispatchers_at_one_job(void **state UNUSED)
{
	for (size_t i = 0; i < 3; i++)
		world_queue(250);
	world.bulk.other_dispatcher_items = 10;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	assert_done_once(0);
	assert_int_equal(count_in(captured_log(), "bulk_item_skipped"), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_world)
	const struct CMUnitTest tests[] = {
		TEST(cron_works_until_no_job_is_left),
		TEST(events_of_jobs_are_delivered),
		TEST(sending_goes_on_between_chunks),
		TEST(a_long_removal_leaves_half_of_the_time),
		TEST(no_chunk_starts_after_the_time_limit),
		TEST(no_chunk_starts_after_term),
		TEST(a_daemon_starts_jobs_queued_later),
		TEST(a_defect_blocks_only_its_own_job),
		TEST(a_job_of_a_later_version_waits),
		TEST(a_lead_that_was_deleted_counts_as_done),
		TEST(a_list_with_too_few_leads_ends),
		TEST(an_outage_neither_loses_nor_repeats),
		TEST(a_failed_chunk_is_retried_later),
		TEST(a_lead_that_always_fails_blocks_nothing),
		TEST(a_slow_chunk_is_done_one_by_one),
		TEST(cron_does_not_wait_for_delayed_work),
		TEST(two_dispatchers_at_one_job),
	};
	return cmocka_run_group_tests_name("deliver/bulk_chunk", tests, NULL, NULL);
}
