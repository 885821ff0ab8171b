/* SPDX-License-Identifier: MIT
 * Recording of outcomes (docs/deliveries.md 3, guarantee: a slot is occupied until its outcome is committed), also while the
 * database is unavailable, slow, or returns errors. Modules: deliver. */
#include "unit.h"

#include <string.h>

#include "captured_log.h"
#include "run_dispatcher.h"

/* docs/deliveries.md 3, guarantee: outcomes are recorded in batches, after at most 5 ms. */
static void
outcomes_are_recorded_together_and_soon(void **state UNUSED)
{
	options.sender.in_flight = 256;
	options.health.concurrency_start = options.health.concurrency_max = 64;
	for (uint64_t id = 1; id <= 4; id++) {
		world_add(id, 900, 0);
		world.webhooks[id].latency_ms = (int64_t)id;
	}
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), 3600);
	assert_true(world.flush_count <= 3600 / 32);
	assert_true(world.longest_unrecorded_ms <= 5 + 4 * WORLD_CALL_MS);
}

static void
single_outcomes_wait_for_each_other(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 20; id++) {
		world_add(id, 1, 0);
		world.webhooks[id].latency_ms = 100 + (int64_t)id;
	}
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), 20);
	assert_in_range(world.flush_count, 2, 6);
}

static void
results_outlive_an_outage(void **state UNUSED)
{
	world_add(1, 100, 0);
	world.webhooks[1].latency_ms = 50;
	world.outage_from_ms = 20; /* the first are under way */
	world.outage_until_ms = 20 * SECOND;
	stay_until(40 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 100);
	assert_int_equal(sent(1), 100); /* no delivery was sent twice */
	assert_int_equal(world.stale, 0);
	/* Back-off: 100 ms doubling to 5 s, with jitter, for each of the tasks record, poll, fetch and clean up. */
	assert_in_range(world.calls_in_outage, 5, 4 * 20);
}

static void
an_unknown_commit_is_repeated(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.lost_commit_ms = 0;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 20);
	assert_int_equal(sent(1), 20);
	assert_true(world.stale > 0);
	assert_int_equal(world.deliveries[0].logged, 1);
}

static void
one_invalid_outcome_does_not_block_others(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.poison = 7;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 19);
	assert_int_equal(world.deliveries[6].state, DELIVERY_PENDING);
	assert_true(world.now_ms < SECOND);
	/* it is sent again, so nothing may log it as failed */
	schedule.count = 0;
	world_add(2, 2, world.now_ms);
	world.webhooks[2].status = 500;
	world.poison = 21;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " delivery_failed "), 1);
	assert_int_equal(count_in(log, " outcome_lost delivery=21 "), 1);
}

/* docs/deliveries.md 6.1: a delivery whose outcome is rejected is sent again, but not at once. */
static void
a_delivery_whose_outcome_is_invalid_is_sent_once_a_minute(void **state UNUSED)
{
	world_add(1, 20, 0);
	world_add(1, 20, 90 * SECOND);
	world.poison = 7;
	capture_log();
	stay_until(150 * SECOND);
	assert_int_equal(count_in(captured_log(), " outcome_lost delivery=7 "), 3);
	assert_int_equal(world.deliveries[6].started, 3);
	assert_true(world.deliveries[6].started_ms[1] - world.deliveries[6].started_ms[0] >= MINUTE);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 39);
}

static void
cron_discards_outcomes_in_the_end(void **state UNUSED)
{
	world_add(1, 10, 0);
	world.webhooks[1].latency_ms = 50;
	world.outage_from_ms = 20;
	world.outage_until_ms = INT64_MAX;
	assert_int_equal(run(NULL), RESULT_UNAVAILABLE);
	assert_in_range(world.now_ms, 55 * SECOND, 61 * SECOND);
}

/* docs/deliveries.md 3, guarantee: a slot is occupied until its outcome is committed. A delivery that has ended is not sent
 * again just because recording takes long. */
static void
unrecorded_deliveries_are_not_fetched_again(void **state UNUSED)
{
	world_add(1, 3, 0);           /* more deliveries may be under way */
	world_add(1, 2, 70 * SECOND); /* due in the outage, after more than a lease */
	world.webhooks[1].latency_ms = 50;
	world.recorder_away_until_ms = 3 * options.lease_ms;
	stay_until(4 * options.lease_ms);
	assert_int_equal(sent(1), 5);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 5);
	assert_int_equal(world.stale, 0);
}

/* Sending continues while outcomes are recorded. */
static void
sending_continues_while_outcomes_are_recorded(void **state UNUSED)
{
	world_add(1, PER_WEBHOOK, 0);
	world_add(2, PER_WEBHOOK, SECOND);
	world.record_ms = 3 * SECOND;
	stay_until(10 * SECOND);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_true(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <= 2 * POLL);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), 2 * PER_WEBHOOK);
}

static size_t delivered_before, conflicts_before;

static void
note_delivered(void)
{
	delivered_before = world_count(0, DELIVERY_DELIVERED);
	conflicts_before = world.conflicts;
	world.happen = NULL;
}

/* Another transaction locks one outcome of a batch. */
static void
one_locked_outcome_does_not_block_others(void **state UNUSED)
{
	enum { LATER = 1000 };
	world_add(1, 20, 0);
	for (int64_t i = 0; i < LATER; i++)
		world_add(2, 1, 2 * SECOND + i);
	world.blocked = 7;
	world.blocked_until_ms = 30 * SECOND;
	world.happen = note_delivered;
	world.happens_ms = 10 * SECOND;
	stay_until(40 * SECOND);
	assert_int_equal(delivered_before, LATER + 19);
	assert_in_range(world.blocked_with, 1, 3 * 20); /* later it blocks no other outcomes */
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), LATER + 20);
	assert_int_equal(sent(1), 20);
	assert_int_equal(sent(2), LATER);
}

static void
block_the_first(void)
{
	world.blocked = 1;
	world.happen = NULL;
}

/* docs/deliveries.md 3, Retry-After: a hold is not shortened by the time that recording takes. */
static void
a_hold_is_recorded_after_a_lock_wait(void **state UNUSED)
{
	world_add(1, 2, 0);
	world.webhooks[1].status = 429;
	world.webhooks[1].retry_after = "600";
	world.blocked_webhook = 1;
	world.blocked_until_ms = 20 * SECOND;
	stay_until(40 * SECOND);
	assert_int_equal(sent(1), 2);
	assert_true(world.webhooks[1].hold_until_ms > 500 * SECOND);
	assert_int_equal(world.webhooks[1].failures, 2);
}

/* An outcome that is recorded after that of a later attempt does not change the webhook. */
static void
a_late_outcome_does_not_change_the_webhook(void **state UNUSED)
{
	schedule.count = 0;
	world_add(1, 5, 0);
	struct world_webhook *webhook = &world.webhooks[1];
	webhook->succeeded = true; /* so that it gets several at once; in the fake world, the last one ends first */
	memcpy(webhook->script,
	    (struct world_answer[]){ { .status = 200, .times = 3 }, { .status = 500, .times = 1 }, { .status = 200 } },
	    3 * sizeof(*webhook->script));
	webhook->script_count = 3;
	world.blocked = 4;
	world.blocked_until_ms = 20 * SECOND;
	capture_log();
	stay_until(40 * SECOND);
	captured_log();
	assert_int_equal(world_count(1, DELIVERY_FAILED), 1);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 4);
	assert_int_equal(webhook->failures, 0);
	assert_true(webhook->failing_since_ms < 0);
}

/* A commit's response is lost, and its transaction still holds locks for a while. */
static void
an_unknown_commit_that_still_holds_locks(void **state UNUSED)
{
	world_add(1, 1, 0);
	world_add(2, 1, 5 * SECOND);
	world.lost_commit_ms = 0;
	world.happen = block_the_first;
	world.happens_ms = 30; /* before the retry */
	world.blocked_until_ms = 20 * SECOND;
	capture_log();
	stay_until(30 * SECOND);
	const char *log = captured_log();
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), 2);
	assert_int_equal(sent(1), 1);
	assert_int_equal(world.stale, 1);
	assert_int_equal(count_in(log, " outcomes_stale "), 0);
	assert_int_equal(count_in(log, " outcome_lost "), 0);
}

/* However many outcomes of a webhook meet a lock, others do not wait for all of them. */
static void
a_locked_webhook_blocks_no_other(void **state UNUSED)
{
	enum { LOCKED = 60, LATER = 1000, BY_THEN = 100 };
	options.health.concurrency_max = 32;
	world_add(1, LOCKED, 0); /* its concurrency grows */
	world_add(1, LOCKED, 10 * SECOND);
	for (int64_t i = 0; i < LATER; i++)
		world_add(2, 1, 10 * SECOND + 100 * i);
	world.webhooks[1].latency_ms = 50; /* all deliveries under way end together */
	world.blocked_webhook = 1;
	world.blocked_ms = SECOND;
	world.blocked_from_ms = 5 * SECOND;
	world.blocked_until_ms = 200 * SECOND;
	world.happen = note_delivered;
	world.happens_ms = 10 * SECOND + 100 * BY_THEN;
	capture_log();
	stay_until(240 * SECOND);
	captured_log();
	assert_in_range(delivered_before, LOCKED + BY_THEN / 2, LOCKED + BY_THEN);
	assert_in_range(conflicts_before, 1, 20);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), LATER + 2 * LOCKED);
	for (size_t i = 2 * LOCKED; i < world.delivery_count; i++)
		assert_true(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <= 6 * SECOND);
}

/* A locked outcome is recorded, however long that takes, because its shard is leased. */
static void
an_outcome_locked_for_longer_than_a_lease_is_recorded(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.blocked = 7;
	world.blocked_until_ms = 2 * options.lease_ms;
	stay_until(3 * options.lease_ms);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 20);
	assert_int_equal(sent(1), 20);
	assert_int_equal(world.stale, 0);
}

/* No outcome is logged as stale when outcomes were recorded and only the response was lost. */
static void
an_unknown_commit_logs_no_stale_outcome(void **state UNUSED)
{
	schedule.count = 0;
	world_add(1, 20, 0);
	world.webhooks[1].status = 500;
	world.lost_commit_ms = 0;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " outcomes_stale "), 0);
	assert_int_equal(count_in(log, " delivery_failed "), 20);
}

/* docs/deliveries.md 4: when full polls time out, new deliveries are still sent. */
static void
failing_polls_do_not_stop_new_deliveries(void **state UNUSED)
{
	world.poll_ms = 20 * SECOND;
	world.poll_fails = true;
	world_add(1, 3, 30 * SECOND);
	stay_until(49 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 3);
	assert_true(world.deliveries[0].started_ms[0] < 31 * SECOND);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_world)
	const struct CMUnitTest tests[] = {
		TEST(outcomes_are_recorded_together_and_soon),
		TEST(single_outcomes_wait_for_each_other),
		TEST(results_outlive_an_outage),
		TEST(an_unknown_commit_is_repeated),
		TEST(one_invalid_outcome_does_not_block_others),
		TEST(a_delivery_whose_outcome_is_invalid_is_sent_once_a_minute),
		TEST(unrecorded_deliveries_are_not_fetched_again),
		TEST(sending_continues_while_outcomes_are_recorded),
		TEST(one_locked_outcome_does_not_block_others),
		TEST(a_hold_is_recorded_after_a_lock_wait),
		TEST(a_late_outcome_does_not_change_the_webhook),
		TEST(an_unknown_commit_that_still_holds_locks),
		TEST(a_locked_webhook_blocks_no_other),
		TEST(an_outcome_locked_for_longer_than_a_lease_is_recorded),
		TEST(an_unknown_commit_logs_no_stale_outcome),
		TEST(failing_polls_do_not_stop_new_deliveries),
		TEST(cron_discards_outcomes_in_the_end),
	};
	return cmocka_run_group_tests_name("deliver/outcomes", tests, NULL, NULL);
}
