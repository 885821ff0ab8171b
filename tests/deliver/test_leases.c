/* SPDX-License-Identifier: MIT
 * Leases of shards (docs/deliveries.md 4.1): nothing is sent without a lease, and only one dispatcher does the maintenance.
 * Modules: deliver. */
#include "unit.h"

#include "captured_log.h"
#include "run_dispatcher.h"

static void
leases_are_renewed_before_they_end(void **state UNUSED)
{
	stay_until(10 * MINUTE);
	assert_true(world.leased);
	assert_int_equal(world.longest_lease_gap_ms, 0);
}

/* docs/deliveries.md 4: only one dispatcher sends to a webhook. The lease was lost, for example because the process was stopped
 * for longer than the lease. */
static void
without_its_shards_it_sends_nothing(void **state UNUSED)
{
	world_add(1, 3000, 0);
	world.webhooks[1].latency_ms = SECOND;
	world.lost_ms = 10 * SECOND;
	world.regained_ms = 2 * MINUTE;
	capture_log();
	stay_until(110 * SECOND);
	assert_in_range(sent(1), 9 * PER_WEBHOOK, 11 * PER_WEBHOOK);
	assert_int_equal(count_in(captured_log(), " shards_lost shards=64\n"), 1);
}

/* docs/architecture.md 9.3: runs from cron also count the sources of leads, even when nothing is due. */
static void
cron_counts_all_sources(void **state UNUSED)
{
	world.uncounted = 5;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world.uncounted, 0);
	assert_true(world.now_ms < SECOND);
}

/* Of several dispatchers, only the one with the first shard runs bulk jobs, cleans up and counts. */
static void
the_dispatcher_with_the_first_shard_cleans_up(void **state UNUSED)
{
	world.foreign = 1;
	world_queue(1);
	world.uncounted = 1;
	stay_until(MINUTE);
	assert_int_equal(world.clean_ups, 0);
	assert_int_equal(world.uncounted, 1);
	assert_int_equal(world.bulk.chunks, 0);
	world.foreign = ~UINT64_C(1);
	stay_until(2 * MINUTE);
	assert_in_range(world.clean_ups, 5, 7);
	assert_int_equal(world.uncounted, 0);
	assert_int_equal(world.bulk.chunks, 1);
}

/* A run from cron with other shards does not wait for jobs. */
static void
cron_without_the_first_shard_leaves_jobs_alone(void **state UNUSED)
{
	world.foreign = 1;
	world_queue(1);
	assert_int_equal(run(NULL), RESULT_OK);
	assert_true(world.now_ms < SECOND);
	assert_non_null(world_next_job());
}

static size_t fetches_before;

static void
disable(void)
{
	fetches_before = world.fetches;
	world.webhooks[1].state = WEBHOOK_DISABLED;
	world.happen = NULL;
}

/* Once a webhook is disabled, its remaining rows are not read. */
static void
a_disabled_webhook_is_fetched_no_more(void **state UNUSED)
{
	world_add(1, 3000, 0);
	world.webhooks[1].latency_ms = SECOND;
	world.happen = disable;
	world.happens_ms = 3 * SECOND;
	stay_until(10 * SECOND);
	assert_true(fetches_before > 0);
	assert_in_range(world.fetches - fetches_before, 0, 3);
}

/* docs/deliveries.md 4.2: after slow polls, statistics are refreshed, at most once in five minutes. */
static void
slow_polls_refresh_statistics(void **state UNUSED)
{
	stay_until(MINUTE);
	assert_int_equal(world.refreshes, 0);
	world.poll_ms = 100;
	stay_until(11 * MINUTE);
	assert_in_range(world.refreshes, 2, 3);
}

/* docs/deliveries.md 4.1: a loss of shards after a failed renewal is noticed later. */
static void
a_loss_of_shards_is_noticed_after_an_outage(void **state UNUSED)
{
	world.outage_from_ms = 15 * SECOND; /* the first lease ends after a minute */
	world.outage_until_ms = world.lost_ms = 65 * SECOND;
	world.regained_ms = INT64_MAX;
	world_add(1, 1, 10 * SECOND);
	world_add(1, 1, 16 * SECOND);
	capture_log();
	stay_until(80 * SECOND);
	assert_int_equal(count_in(captured_log(), " shards_lost shards=64\n"), 1);
	assert_int_equal(sent(1), 1);
}

/* An outcome that the database refuses shows the loss of shards at once. Otherwise its delivery would be sent again and again
 * until the next renewal. */
static void
a_refused_outcome_shows_the_loss_of_shards(void **state UNUSED)
{
	world_add(1, 100, 0);
	world.webhooks[1].latency_ms = 100;
	world.lost_ms = SECOND; /* the next renewal is at 20 s */
	world.regained_ms = INT64_MAX;
	capture_log();
	stay_until(15 * SECOND);
	assert_int_equal(count_in(captured_log(), " shards_lost shards=64\n"), 1);
	assert_in_range(world.stale, 1, PER_WEBHOOK);
}

static void
suspend(void)
{
	world.suspended_ms = 2 * MINUTE;
	world.lost_ms = world.now_ms;
	world.regained_ms = INT64_MAX;
	world.happen = NULL;
}

/* The lease also ends while the host is suspended, although the monotonic clock then stands still. */
static void
a_suspension_uses_up_the_lease(void **state UNUSED)
{
	world_add(1, 1, 2 * SECOND);
	world_add(1, 1, 4 * SECOND);
	world.happen = suspend;
	world.happens_ms = 3 * SECOND;
	capture_log();
	stay_until(15 * SECOND); /* the next renewal is at 20 s */
	assert_int_equal(count_in(captured_log(), " shards_lost shards=64\n"), 1);
	assert_int_equal(sent(1), 1);
}

static void
another_dispatcher_delivers(void)
{
	for (size_t i = 0; i < world.delivery_count; i++)
		world.deliveries[i].state = DELIVERY_DELIVERED;
	world.fetch_ms = 0;
	world.happen = NULL;
}

/* docs/deliveries.md 4.1: what was fetched before the lease ended is not sent after it was renewed. */
static void
what_was_fetched_before_a_gap_is_not_sent(void **state UNUSED)
{
	world_add(1, 4, SECOND);
	world.fetch_ms = 70 * SECOND; /* as if the process were stopped */
	world.happen = another_dispatcher_delivers;
	world.happens_ms = 65 * SECOND;
	stay_until(80 * SECOND);
	assert_true(world.fetches > 0);
	assert_int_equal(sent(1), 0);
}

/* docs/deliveries.md 4.1: nothing is sent while the lease has less time left than an attempt may take. */
static void
nothing_is_sent_when_the_lease_is_nearly_over(void **state UNUSED)
{
	int64_t last_ms = 0;
	world.lease_fails_from_ms = 5 * SECOND;
	for (int64_t at = 0; at < 70; at++)
		world_add(1, 1, at * SECOND);
	stay_until(70 * SECOND);
	for (size_t i = 0; i < world.delivery_count; i++)
		if (world.deliveries[i].started > 0)
			last_ms = world.deliveries[i].started_ms[0];
	assert_in_range(last_ms, 35 * SECOND, options.lease_ms - options.sender.timeout_ms);
	assert_int_equal(world.stale, 0);
}

/* The lease is renewed early enough to keep sending, even with the shortest lease that is allowed. */
static void
sending_continues_with_the_shortest_lease(void **state UNUSED)
{
	options.sender.timeout_ms = MINUTE;
	options.lease_ms = options.sender.timeout_ms + DISPATCHER_LEASE_MARGIN_MS;
	for (int64_t at = 0; at < 600; at++)
		world_add(1, 1, at * 100);
	stay_until(70 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 600);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_true(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <= 2 * POLL);
}

static void
free_the_shards(void)
{
	world.foreign = 0;
	world.happen = NULL;
}

/* docs/deliveries.md 4: a standby dispatcher notices soon that shards are free. */
static void
free_shards_are_taken_soon(void **state UNUSED)
{
	world.foreign = UINT64_MAX;
	world.happen = free_the_shards;
	world.happens_ms = 10 * SECOND + 1;
	world_add(1, 1, SECOND);
	stay_until(15 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 1);
	assert_in_range(world.deliveries[0].started_ms[0], 10 * SECOND, 13 * SECOND);
}

/* docs/deliveries.md 4: lease >= attempt timeout + 15 s, checked at start. */
static void
a_short_lease_is_refused(void **state UNUSED)
{
	options.lease_ms = options.sender.timeout_ms + DISPATCHER_LEASE_MARGIN_MS - 1;
	assert_null(dispatcher_new(&options, &(struct dispatcher_stores){ 0 }, NULL));
	options.lease_ms++;
	struct dispatcher *dispatcher = dispatcher_new(&options, &(struct dispatcher_stores){ 0 }, NULL);
	assert_non_null(dispatcher);
	dispatcher_free(&dispatcher);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_world)
	const struct CMUnitTest tests[] = {
		TEST(leases_are_renewed_before_they_end),
		TEST(without_its_shards_it_sends_nothing),
		TEST(a_disabled_webhook_is_fetched_no_more),
		TEST(slow_polls_refresh_statistics),
		TEST(cron_counts_all_sources),
		TEST(the_dispatcher_with_the_first_shard_cleans_up),
		TEST(cron_without_the_first_shard_leaves_jobs_alone),
		TEST(a_loss_of_shards_is_noticed_after_an_outage),
		TEST(a_refused_outcome_shows_the_loss_of_shards),
		TEST(a_suspension_uses_up_the_lease),
		TEST(what_was_fetched_before_a_gap_is_not_sent),
		TEST(nothing_is_sent_when_the_lease_is_nearly_over),
		TEST(sending_continues_with_the_shortest_lease),
		TEST(free_shards_are_taken_soon),
		TEST(a_short_lease_is_refused),
	};
	return cmocka_run_group_tests_name("deliver/leases", tests, NULL, NULL);
}
