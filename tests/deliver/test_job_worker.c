/* SPDX-License-Identifier: MIT
 * Jobs of operators (docs/architecture.md 6.1), in the dispatcher's fake world. */
#include "unit.h"

#include "captured_log.h"
#include "run_dispatcher.h"

static void
cron_works_until_no_job_is_left(void **state UNUSED)
{
	const struct world_operator_job *long_one = world_add_job(40), *short_one = world_add_job(1);
	world.operators.redelivers = 1;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(long_one->taken, 40);
	assert_int_equal(short_one->taken, 1);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 41); /* delivered in the same run */
	assert_int_equal(world.operators.releases, 1);
}

/* The job that was worked on longest ago is next. */
static void
a_long_job_does_not_delay_others(void **state UNUSED)
{
	const struct world_operator_job *long_one = world_add_job(1000), *short_one = world_add_job(2);
	world.operators.jobs[0].turn_ms = world.operators.jobs[1].turn_ms = 100;
	stay_until(10 * SECOND);
	assert_int_equal(short_one->turns, 0);
	assert_true(short_one->ended_ms < SECOND);
	const unsigned turns = long_one->taken + short_one->taken;
	assert_in_range(world.operators.noted_ms, 100 * turns, 110 * turns);
	assert_true(long_one->taken > 80);
}

/* A test that waits for a receiver delays neither deliveries nor bulk jobs. */
static void
a_turn_that_waits_delays_nothing_else(void **state UNUSED)
{
	world_add_job(1)->turn_ms = 15 * SECOND;
	for (int64_t at = 0; at < 40; at++)
		world_add(1, 1, at * 100);
	world_queue(250);
	stay_until(20 * SECOND);
	assert_int_equal(world.operators.jobs[0].taken, 1);
	assert_true(world.bulk.last_ms < SECOND);
	for (size_t i = 0; i < 40; i++)
		assert_true(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <= 2 * POLL);
}

/* Another dispatcher at once continues the jobs that this one has begun. */
static void
the_end_of_the_dispatcher_releases_jobs(void **state UNUSED)
{
	const struct world_operator_job *job = world_add_job(1000);
	world.operators.jobs[0].turn_ms = 100;
	stay_until(2 * SECOND);
	assert_in_range(job->taken, 10, 21);
	assert_true(world_has_free_job());
	const unsigned before = job->taken;
	stay_until(4 * SECOND);
	assert_true(job->taken > before + 10);
}

static void
a_job_of_another_dispatcher_is_left_alone(void **state UNUSED)
{
	struct world_operator_job *job = world_add_job(1);
	job->leased_until_ms = 5 * SECOND;
	stay_until(4 * SECOND);
	assert_int_equal(world.operators.leases, 0);
	stay_until(8 * SECOND);
	assert_int_equal(job->taken, 1);
}

/* The job is left for the dispatcher of a later version; this one looks at it at most once per poll, and ends if it runs from
 * cron. */
static void
an_unknown_kind_is_left_alone(void **state UNUSED)
{
	world_add_job(1)->unknown = true;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_in_range(world.operators.leases, 1, 2);
	world.operators.leases = 0;
	stay_until(world.now_ms + 5 * SECOND);
	assert_in_range(world.operators.leases, 1, 5 * SECOND / POLL + 2);
}

static void
an_outage_only_delays_jobs(void **state UNUSED)
{
	const struct world_operator_job *job = world_add_job(5);
	world.operators.jobs[0].turn_ms = 300;
	world.outage_from_ms = 500;
	world.outage_until_ms = 10 * SECOND;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(job->turns, 0);
	assert_true(count_in(captured_log(), " step=job result=") > 0);
}

/* A turn gets the deliveries under way, because a redelivery leaves them alone. */
static void
a_turn_has_what_is_under_way(void **state UNUSED)
{
	world_add(1, 3, 0);
	world.webhooks[1].latency_ms = 5 * SECOND;
	world_add_job(10)->turn_ms = 100;
	stay_until(4 * SECOND);
	assert_int_equal(world.operators.under_way, 3);
}

#define JOB_TEST(name) cmocka_unit_test_setup(name, fresh_world)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		JOB_TEST(cron_works_until_no_job_is_left),
		JOB_TEST(a_long_job_does_not_delay_others),
		JOB_TEST(a_turn_that_waits_delays_nothing_else),
		JOB_TEST(the_end_of_the_dispatcher_releases_jobs),
		JOB_TEST(a_job_of_another_dispatcher_is_left_alone),
		JOB_TEST(an_unknown_kind_is_left_alone),
		JOB_TEST(an_outage_only_delays_jobs),
		JOB_TEST(a_turn_has_what_is_under_way),
	};
	return cmocka_run_group_tests_name("deliver/job_worker", tests, NULL, NULL);
}
