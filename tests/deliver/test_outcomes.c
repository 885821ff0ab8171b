/* SPDX-License-Identifier: MIT
 * What becomes of outcomes (docs/deliveries.md 3, guarantee: a slot is kept until its outcome is committed), also while the
 * database is away, slow or refuses. */
#include "unit.h"

#include <string.h>

#include "captured_log.h"
#include "run_dispatcher.h"

/* docs/deliveries.md 3, guarantee: outcomes are flushed together, and after 5 ms at the latest. */
static void
outcomes_are_recorded_together_and_soon(void **state UNUSED)
{
	options.sender.in_flight = 256;
	options.health.window_start = options.health.window_max = 64;
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
	assert_int_equal(sent(1), 100); /* none was sent twice */
	assert_int_equal(world.stale, 0);
	/* Backing off: 100 ms doubling to 5 s, with jitter; two threads. */
	assert_in_range(world.calls_in_outage, 5, 2 * 20);
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
one_bad_outcome_does_not_hold_the_others(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.poison = 7;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 19);
	assert_int_equal(world.deliveries[6].state, DELIVERY_PENDING);
	/* it is made again, so nobody may be told that it is given up */
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

static void
cron_gives_up_results_in_the_end(void **state UNUSED)
{
	world_add(1, 10, 0);
	world.webhooks[1].latency_ms = 50;
	world.outage_from_ms = 20;
	world.outage_until_ms = INT64_MAX;
	assert_int_equal(run(NULL), RESULT_UNAVAILABLE);
	assert_in_range(world.now_ms, 55 * SECOND, 61 * SECOND);
}

/* 3, guarantee: a slot is kept until its outcome is committed; what has ended is not sent once more because that takes long. */
static void
what_waits_to_be_recorded_is_not_claimed_anew(void **state UNUSED)
{
	world_add(1, 3, 0);           /* its window has room for more */
	world_add(1, 2, 70 * SECOND); /* in the outage, later than a lease */
	world.webhooks[1].latency_ms = 50;
	world.recorder_away_until_ms = 3 * options.lease_ms;
	stay_until(4 * options.lease_ms);
	assert_int_equal(sent(1), 5);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 5);
	assert_int_equal(world.stale, 0);
}

/* … nor because the answer to the claim did: the claim began before. */
static void
claims_end_however_late_their_answer_comes(void **state UNUSED)
{
	world_add(1, 2, 0);
	world.claim_ms = 15 * SECOND;
	world.recorder_away_until_ms = 2 * options.lease_ms;
	stay_until(3 * options.lease_ms);
	assert_int_equal(sent(1), 2);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 2);
}

static void
answer_soon(void)
{
	world.claim_ms = 0;
	world.happen = NULL;
}

/* … and what could outlive its claim is not sent. */
static void
a_claim_that_is_nearly_over_is_given_back(void **state UNUSED)
{
	world_add(1, 2, 0);
	world.claim_ms = options.lease_ms - options.sender.timeout_ms;
	world.happen = answer_soon;
	world.happens_ms = 1;
	stay_until(2 * options.lease_ms);
	assert_int_equal(sent(1), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(world.deliveries[i].attempts, 1);
		assert_true(world.deliveries[i].started_ms[0] >= options.lease_ms - options.sender.timeout_ms); /* anew */
	}
}

/* … and recording is no reason to wait. */
static void
sending_goes_on_while_outcomes_are_recorded(void **state UNUSED)
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

/* Somebody holds a lock on one of a batch. */
static void
one_locked_outcome_does_not_hold_the_others(void **state UNUSED)
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
	assert_in_range(world.blocked_with, 1, 3 * 20); /* later it stands in nobody's way */
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

/* 3, Retry-After: what it says is not lost with the time that its recording takes. */
static void
a_silence_is_recorded_behind_a_lock(void **state UNUSED)
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

/* … but what was overtaken by a later attempt says nothing of its webhook any more. */
static void
what_was_overtaken_changes_no_webhook(void **state UNUSED)
{
	schedule.count = 0;
	world_add(1, 5, 0);
	struct world_webhook *webhook = &world.webhooks[1];
	webhook->succeeded = true; /* so that it gets several at once; of those the last ends first here */
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

/* A commit is lost, and what is left of its transaction stands in the way for a while. */
static void
an_unknown_commit_that_stands_in_its_own_way(void **state UNUSED)
{
	world_add(1, 1, 0);
	world_add(2, 1, 5 * SECOND);
	world.lost_commit_ms = 0;
	world.happen = block_the_first;
	world.happens_ms = 30; /* before it is tried again */
	world.blocked_until_ms = 20 * SECOND;
	capture_log();
	stay_until(30 * SECOND);
	const char *log = captured_log();
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), 2);
	assert_int_equal(sent(1), 1);
	assert_int_equal(world.stale, 1);
	assert_int_equal(count_in(log, " claims_lost "), 0);
	assert_int_equal(count_in(log, " outcome_lost "), 0);
}

/* However many of a webhook meet a lock, others do not wait for all of them, and they are given up before nothing may be
 * claimed any more. */
static void
a_webhook_that_is_locked_holds_nobody_else(void **state UNUSED)
{
	enum { LOCKED = 60, LATER = 1000, BY_THEN = 100 };
	options.health.window_max = 32;
	world_add(1, LOCKED, 0); /* its window opens */
	world_add(1, LOCKED, 10 * SECOND);
	for (int64_t i = 0; i < LATER; i++)
		world_add(2, 1, 10 * SECOND + 100 * i);
	world.webhooks[1].latency_ms = 50; /* all of a window end together */
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

/* Its delivery is made again when its claim has ended. */
static void
what_is_locked_for_a_lease_is_given_up(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.blocked = 7;
	world.blocked_until_ms = options.lease_ms;
	capture_log();
	stay_until(2 * options.lease_ms);
	assert_int_equal(count_in(captured_log(), " outcome_lost delivery=7 result=conflict"), 1);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 20);
	assert_int_equal(sent(1), 21);
	assert_int_equal(world.deliveries[6].attempts, 2);
}

/* Nothing is told of claims that were lost, when they were recorded and only the answer was. */
static void
an_unknown_commit_is_no_lost_claim(void **state UNUSED)
{
	schedule.count = 0;
	world_add(1, 20, 0);
	world.webhooks[1].status = 500;
	world.lost_commit_ms = 0;
	capture_log();
	assert_int_equal(run(NULL), RESULT_OK);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " claims_lost "), 0);
	assert_int_equal(count_in(log, " delivery_failed "), 20);
}

/* docs/deliveries.md 4: where a look at all that is due takes so long that it is not answered, what is new is still sent. */
static void
looks_that_fail_do_not_stop_everything(void **state UNUSED)
{
	world.look_ms = 20 * SECOND;
	world.look_fails = true;
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
		TEST(one_bad_outcome_does_not_hold_the_others),
		TEST(what_waits_to_be_recorded_is_not_claimed_anew),
		TEST(claims_end_however_late_their_answer_comes),
		TEST(a_claim_that_is_nearly_over_is_given_back),
		TEST(sending_goes_on_while_outcomes_are_recorded),
		TEST(one_locked_outcome_does_not_hold_the_others),
		TEST(a_silence_is_recorded_behind_a_lock),
		TEST(what_was_overtaken_changes_no_webhook),
		TEST(an_unknown_commit_that_stands_in_its_own_way),
		TEST(a_webhook_that_is_locked_holds_nobody_else),
		TEST(what_is_locked_for_a_lease_is_given_up),
		TEST(an_unknown_commit_is_no_lost_claim),
		TEST(looks_that_fail_do_not_stop_everything),
		TEST(cron_gives_up_results_in_the_end),
	};
	return cmocka_run_group_tests_name("deliver/outcomes", tests, NULL, NULL);
}
