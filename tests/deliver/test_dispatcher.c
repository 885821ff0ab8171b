/* SPDX-License-Identifier: MIT
 * The dispatcher's rules (docs/deliveries.md 3, 4 and 6) in a fake world (fake_world.h). */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "captured_log.h"
#include "run_dispatcher.h"

/* docs/deliveries.md 3: the default schedule, after the first attempt. */
static const int64_t delays[] = { 5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR,
	20 * HOUR, 24 * HOUR };

static void
cron_works_until_nothing_is_due(void **state UNUSED)
{
	world_add(1, 500, 0);
	world_add(2, 1, 30 * SECOND); /* due later: left for the next run */
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 500);
	assert_int_equal(world_count(2, DELIVERY_PENDING), 1);
	assert_int_equal(sent(1), 500);
	assert_true(world.released);
	assert_true(world.now_ms < 10 * SECOND);
}

static void
cron_sends_nothing_after_its_time_limit(void **state UNUSED)
{
	options.max_runtime_ms = 3 * SECOND;
	world_add(1, 1000, 0);
	world.webhooks[1].latency_ms = 1 * SECOND;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_in_range(world.now_ms, 3 * SECOND, 5 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), sent(1));
	assert_in_range(sent(1), PER_WEBHOOK * 2, PER_WEBHOOK * 4);
	assert_true(world.released);
}

/* docs/deliveries.md 3, schedule: eleven attempts, each delay within a fifth. */
static void
failures_follow_the_schedule(void **state UNUSED)
{
	world_add(1, 1, 0);
	world.webhooks[1].status = 500;
	options.poll_ms = 10 * SECOND;
	stay_until(100 * HOUR);
	const struct world_delivery *delivery = &world.deliveries[0];
	assert_int_equal(delivery->attempts, 1 + ARRAY_SIZE(delays));
	assert_int_equal(delivery->logged, 1 + ARRAY_SIZE(delays));
	assert_int_equal(delivery->state, DELIVERY_FAILED);
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++) {
		int64_t delay = delivery->started_ms[i + 1] - delivery->started_ms[i];
		assert_in_range(delay, delays[i] * 8 / 10, delays[i] * 12 / 10 + POLL);
	}
}

static void
every_kind_of_failure_is_retried(void **state UNUSED)
{
	const struct world_webhook kinds[] = {
		{ .status = 302 }, { .status = 404 }, { .status = 500 }, { .error = SENDER_TIMEOUT },
		{ .error = SENDER_REFUSED }, { .error = SENDER_NOT_RESOLVED }, { .error = SENDER_CERTIFICATE },
		{ .status = 200, .error = SENDER_TIMEOUT }, /* headers were received, the body was not */
	};
	for (uint64_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		world.webhooks[i + 1] = kinds[i];
		world_add(i + 1, 1, 0);
	}
	stay_until(10 * SECOND);
	for (uint64_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_int_equal(sent(i + 1), 2);
		assert_int_equal(world_count(i + 1, DELIVERY_PENDING), 1);
	}
}

/* The log names the failed webhook and the reason, and contains no addresses or payloads. */
static void
failures_are_logged(void **state UNUSED)
{
	schedule = (struct retry_schedule){ .delays_ms = { SECOND }, .count = 1 };
	world_add(1, 1, 0);
	world_add(2, 4, 0);
	world_add(2, 7, HOUR);
	world_add(3, 1, 0);
	world.webhooks[1] = (struct world_webhook){ .error = SENDER_REFUSED };
	world.webhooks[2].status = 410;
	world.webhooks[3].fails_first = 1;
	capture_log();
	stay_until(MINUTE);
	const char *log = captured_log();
	assert_int_equal(count_in(log, " attempt_failed delivery="), 2 + 4 + 1);
	assert_int_equal(count_in(log, " debug test["), 2 + 4 + 1);
	assert_int_equal(count_in(log, " attempt_failed delivery=1 webhook=1 attempt="), 2);
	assert_non_null(strstr(log, " attempt_failed delivery=1 webhook=1 attempt=1 status=0 error=fake duration_ms=0\n"));
	assert_int_equal(count_in(log, " warning test["), 1 + 1);
	assert_int_equal(count_in(log, " delivery_failed event=new_signup delivery="), 1);
	assert_non_null(strstr(log, " delivery=1 webhook=1 attempts=2 status=0 error=fake\n"));
	assert_int_equal(count_in(log, " webhook_gone webhook=2 status=410 "), 1);
	assert_int_equal(count_in(log, " pending_ended "), 0);
	assert_int_equal(count_in(log, "hidden"), 0);
}

static void
a_success_ends_the_retries(void **state UNUSED)
{
	world_add(1, 1, 0);
	world.webhooks[1].fails_first = 2;
	stay_until(10 * MINUTE);
	assert_int_equal(sent(1), 3);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 1);
}

/* docs/deliveries.md 3, Retry-After: after 429 and 503 the webhook is held for that time; other webhooks are not. */
static void
retry_after_holds_the_webhook(void **state UNUSED)
{
	world_add(1, 100, 0);
	world.webhooks[1].status = 429;
	world.webhooks[1].retry_after = "120";
	world_add(2, 100, 0);
	stay_until(119 * SECOND);
	assert_int_equal(sent(1), PER_WEBHOOK); /* only the deliveries that were under way when the response came */
	assert_int_equal(world_count(2, DELIVERY_DELIVERED), 100);
	assert_true(world.webhooks[1].hold_until_ms >= 120 * SECOND);
	assert_true(world.webhooks[1].hold_until_ms <= 121 * SECOND);
}

/* With other failures, Retry-After is a minimum for that delivery only. */
static void
retry_after_is_a_minimum_for_the_delivery(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.webhooks[1].status = 500;
	world.webhooks[1].retry_after = "3600";
	stay_until(MINUTE);
	assert_int_equal(sent(1), 20);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_true(world.deliveries[i].due_ms >= HOUR);
	assert_int_equal(world.webhooks[1].hold_until_ms, 0);
}

/* docs/deliveries.md 3, 410: nothing more is sent to the webhook, and all its deliveries wait. */
static void
gone_pauses_the_webhook(void **state UNUSED)
{
	world_add(1, 1400, 0);
	world_add(1, 100, 10 * HOUR);
	world_add(2, 50, 0);
	world.webhooks[1].status = 410;
	world.webhooks[1].latency_ms = SECOND; /* the run from cron polls in vain before the response comes */
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(sent(1), PER_WEBHOOK);
	assert_int_equal(world.webhooks[1].state, WEBHOOK_GONE);
	assert_int_equal(world_count(1, DELIVERY_PENDING), 1500);
	assert_int_equal(world_count(2, DELIVERY_DELIVERED), 50);
}

/* docs/deliveries.md 1, DELETE: afterwards, pending deliveries are not sent, and are ended before they are due. */
static void
deliveries_of_deleted_webhooks_are_ended(void **state UNUSED)
{
	enum { MANY = 40 };
	for (uint64_t id = 1; id <= MANY; id++) {
		world_add(id, id % 2 == 0 ? 5 : 0, 0);
		world_add(id, 20, 10 * HOUR);
		world.webhooks[id].state = WEBHOOK_MISSING;
	}
	world_add(1, 1500, 24 * HOUR);
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(0, DELIVERY_FAILED), world.delivery_count);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_int_equal(world.deliveries[i].attempts, 0);
	assert_true(world.now_ms < SECOND);
}

static void
a_webhook_deleted_after_the_poll_gets_nothing(void **state UNUSED)
{
	world_add(1, 600, 0);
	world_add(1, 600, HOUR);
	world.webhooks[1].deleted_after_poll = true;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(sent(1), 0);
	assert_int_equal(world_count(1, DELIVERY_FAILED), 1200);
}

static void
deliveries_that_cannot_be_ended_are_retried_at_the_poll_interval(void **state UNUSED)
{
	world_add(1, 10, HOUR);
	world.webhooks[1].state = WEBHOOK_MISSING;
	world.webhooks[1].stuck = true;
	assert_int_equal(run(NULL), RESULT_OK);
	stay_until(10 * SECOND);
	assert_in_range(world.polls, 10 * SECOND / (2 * POLL), 2 + 10 * SECOND / POLL);
	assert_true(world.chunks <= world.polls);
}

/* docs/deliveries.md 3, disabling: deliveries wait without attempts, and cron does not wait for them. */
static void
disabled_webhooks_wait(void **state UNUSED)
{
	world_add(1, 10, 0);
	world.webhooks[1].state = WEBHOOK_DISABLED;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(sent(1), 0);
	assert_int_equal(world_count(1, DELIVERY_PENDING), 10);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_int_equal(world.deliveries[i].attempts, 0);
	assert_true(world.now_ms < SECOND);
}

/* docs/deliveries.md 4, fairness: a webhook with many deliveries that hang does not delay the first attempts of others. */
static void
many_hanging_deliveries_delay_no_other_webhook(void **state UNUSED)
{
	world_add(1, 3000, 0);
	world.webhooks[1].latency_ms = 15 * SECOND;
	world.webhooks[1].error = SENDER_TIMEOUT;
	for (uint64_t id = 2; id < 42; id++)
		for (int64_t at = 0; at < 20; at++)
			world_add(id, 1, at * SECOND + (int64_t)id * 17);
	stay_until(21 * SECOND);
	assert_int_equal(world.webhooks[1].most_in_flight, PER_WEBHOOK);
	for (size_t i = 3000; i < world.delivery_count; i++) {
		const struct world_delivery *delivery = &world.deliveries[i];
		assert_int_equal(delivery->state, DELIVERY_DELIVERED);
		assert_true(delivery->started_ms[0] - delivery->born_ms <= 2 * POLL);
	}
}

static void
all_slots_are_used_and_no_more(void **state UNUSED)
{
	enum { MANY = 2 * SLOTS }; /* one delivery of each is under way, because of the reserve */
	for (uint64_t id = 1; id <= MANY; id++) {
		world_add(id, 20, 0);
		world.webhooks[id].latency_ms = 200;
	}
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), 20 * MANY);
	assert_int_equal(world.most_unrecorded, SLOTS);
	for (uint64_t id = 1; id <= MANY; id++)
		assert_true(world.webhooks[id].most_in_flight <= PER_WEBHOOK);
}

/* leadhook-dispatch(8): gives up after --max-runtime, never busy-loops. */
static void
cron_gives_up_without_a_database(void **state UNUSED)
{
	world.outage_until_ms = INT64_MAX;
	assert_int_equal(run(NULL), RESULT_UNAVAILABLE);
	assert_in_range(world.now_ms, 55 * SECOND, 61 * SECOND);
	/* Back-off: 100 ms doubling to 5 s, with jitter: fewer than 30 calls a minute for each of the tasks heartbeat, lease
	 * and release. */
	assert_in_range(world.calls_in_outage, 3 * 10, 3 * 30);
}

/* leadhook-dispatch(8), SIGTERM: it begins nothing new, completes what is in flight and records it. */
static void
term_completes_attempts(void **state UNUSED)
{
	world_add(1, 100, 0);
	world.webhooks[1].latency_ms = 3 * SECOND;
	stay_until(SECOND);
	assert_int_equal(sent(1), PER_WEBHOOK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), PER_WEBHOOK);
	assert_in_range(world.now_ms, 3 * SECOND, 3 * SECOND + POLL);
	assert_true(world.released);
}

/* leadhook-dispatch(8), SIGTERM: it exits with success even if the database is unavailable, before the first poll or later,
 * unless outcomes are lost. */
static void
term_ends_well_without_a_database(void **state UNUSED)
{
	world.outage_until_ms = INT64_MAX;
	stay_until(SECOND);
	assert_int_equal(world.polls, 0);
	assert_in_range(world.now_ms, SECOND, 7 * SECOND);
	fresh_world(NULL);
	world.outage_from_ms = 500;
	world.outage_until_ms = INT64_MAX;
	stay_until(SECOND);
	assert_true(world.polls > 0);
	assert_false(world.released);
}

static void
term_fails_when_outcomes_are_lost(void **state UNUSED)
{
	world_add(1, 10, 0);
	world.webhooks[1].latency_ms = 50;
	world.outage_from_ms = 20;
	world.outage_until_ms = INT64_MAX;
	world.stop_ms = SECOND;
	options.stay = true;
	assert_int_equal(run(NULL), RESULT_UNAVAILABLE);
}

static void
an_idle_daemon_polls_at_its_interval(void **state UNUSED)
{
	stay_until(10 * SECOND);
	assert_in_range(world.polls, 10 * SECOND / (2 * POLL), 10 * SECOND / POLL + 1);
}

static void
add_one(void)
{
	world_add(1, 1, world.now_ms);
	world.happens_ms += 1370;
}

/* leadhook-dispatch(8), --daemon: slow polls do not slow down a dispatcher that is otherwise idle. */
static void
slow_polls_do_not_delay_an_idle_daemon(void **state UNUSED)
{
	world.poll_ms = world.newest_poll_ms = POLL;
	world.happen = add_one;
	world.happens_ms = SECOND;
	stay_until(60 * SECOND);
	assert_true(world.delivery_count > 30);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_true(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <=
			    6 * POLL); /* a pause as long as four polls, and another poll */
}

static void
a_daemon_sends_due_deliveries_at_once(void **state UNUSED)
{
	for (int64_t at = 0; at < 50; at++)
		world_add(1, 1, at * 137);
	stay_until(10 * SECOND);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_true(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms <= POLL);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 50);
}

static void
replace_the_secret(void)
{
	world.webhooks[1].previous_secret = "whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=";
	world.webhooks[1].previous_until_ms = INT64_MAX;
	world.happen = NULL;
}

/* docs/deliveries.md 4.2: a delivery that has waited to be sent for more than 200 ms is fetched again, because its webhook may
 * have been changed. */
static void
what_waits_long_is_fetched_again(void **state UNUSED)
{
	options.sender.in_flight = 1;
	world_add(1, 3, 0);
	world.webhooks[1].latency_ms = 3 * SECOND;
	world.happen = replace_the_secret;
	world.happens_ms = 2 * SECOND + 700;
	stay_until(5 * SECOND);
	assert_int_equal(sent(1), 2);
	assert_int_equal(world.seen[0].signatures, 1);
	assert_int_equal(world.seen[1].signatures, 2);
	assert_in_range(world.fetches, 5 * SECOND / 400, 3 * 5 * SECOND / 200);
}

static void
set_the_key(void)
{
	world.webhooks[1].sealed = false;
	world.happen = NULL;
}

/* docs/deliveries.md 3: a delivery waits while the key of its secret is missing, even at the end of its schedule; no attempt is
 * made, and other webhooks are not delayed. */
static void
deliveries_wait_for_the_key(void **state UNUSED)
{
	world_add(1, 20, 0);
	world.deliveries[0].attempts = 10;
	world.webhooks[1].sealed = true;
	world_add(2, 20, 0);
	world.happen = set_the_key;
	world.happens_ms = 10 * MINUTE;
	stay_until(10 * MINUTE - SECOND);
	assert_int_equal(sent(1), 0);
	assert_int_equal(world_count(1, DELIVERY_PENDING), 20);
	assert_int_equal(world_count(2, DELIVERY_DELIVERED), 20);
	assert_int_equal(world.webhooks[1].failures, 0);
	assert_int_equal(world.deliveries[0].attempts, 10);
	assert_true(world.webhooks[1].hold_until_ms > 10 * MINUTE - 11 * SECOND);
	assert_true(world.deliveries[0].logged > 0 && world.deliveries[0].logged <= 60);
	stay_until(10 * MINUTE + 15 * SECOND);
	assert_int_equal(sent(1), 20);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 20);
	assert_int_equal(world.deliveries[0].attempts, 11);
}

/* docs/deliveries.md 4: more slots than one fetch fills. */
static void
thousands_of_slots_are_used(void **state UNUSED)
{
	options.sender.in_flight = 4000;
	options.health.concurrency_start = options.health.concurrency_max = 3500;
	world_add(1, 6000, 0);
	world.webhooks[1].latency_ms = SECOND;
	stay_until(10 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 6000);
	assert_in_range(world.webhooks[1].most_in_flight, 2900, 3000); /* the last quarter is for other webhooks */
}

/* Deliveries that cannot be ended now do not block other deliveries, sending or bulk jobs. */
static void
failing_maintenance_blocks_nothing_else(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 3; id++) {
		world_add(id, 10, HOUR);
		world.webhooks[id].state = WEBHOOK_MISSING;
	}
	world.webhooks[1].cannot_be_ended = true;
	world_add(7, 10, SECOND);
	world_queue(250);
	stay_until(2 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_PENDING), 10);
	assert_int_equal(world_count(2, DELIVERY_FAILED), 10);
	assert_int_equal(world_count(3, DELIVERY_FAILED), 10);
	stay_until(10 * SECOND);
	assert_int_equal(world_count(7, DELIVERY_DELIVERED), 10);
	assert_null(world_next_job());
	assert_true(world.bulk.last_ms < 2 * SECOND);
	assert_true(world.clean_ups > 0);
	for (size_t i = 30; i < 40; i++)
		assert_true(world.deliveries[i].started_ms[0] <= SECOND + 2 * POLL);
}

/* Internal errors do not count against a receiver, and do not use up the attempts of due deliveries. */
static void
internal_errors_open_no_breaker(void **state UNUSED)
{
	options.health.breaker_failures = 2;
	world_add(1, 60, 0);
	world.webhooks[1].error = SENDER_INTERNAL;
	capture_log();
	stay_until(2 * SECOND);
	assert_int_equal(sent(1), options.health.concurrency_start);
	assert_int_equal(count_in(captured_log(), " breaker_opened "), 0);
	assert_int_equal(world.webhooks[1].failures, 0);
	world.webhooks[1].error = SENDER_OK;
	world.webhooks[1].status = 200;
	stay_until(30 * SECOND);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 60);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fresh_world)
	const struct CMUnitTest tests[] = {
		TEST(cron_works_until_nothing_is_due),
		TEST(cron_sends_nothing_after_its_time_limit),
		TEST(failures_follow_the_schedule),
		TEST(every_kind_of_failure_is_retried),
		TEST(failures_are_logged),
		TEST(a_success_ends_the_retries),
		TEST(retry_after_holds_the_webhook),
		TEST(retry_after_is_a_minimum_for_the_delivery),
		TEST(gone_pauses_the_webhook),
		TEST(deliveries_of_deleted_webhooks_are_ended),
		TEST(a_webhook_deleted_after_the_poll_gets_nothing),
		TEST(deliveries_that_cannot_be_ended_are_retried_at_the_poll_interval),
		TEST(disabled_webhooks_wait),
		TEST(many_hanging_deliveries_delay_no_other_webhook),
		TEST(all_slots_are_used_and_no_more),
		TEST(cron_gives_up_without_a_database),
		TEST(term_completes_attempts),
		TEST(term_ends_well_without_a_database),
		TEST(term_fails_when_outcomes_are_lost),
		TEST(an_idle_daemon_polls_at_its_interval),
		TEST(slow_polls_do_not_delay_an_idle_daemon),
		TEST(a_daemon_sends_due_deliveries_at_once),
		TEST(what_waits_long_is_fetched_again),
		TEST(deliveries_wait_for_the_key),
		TEST(thousands_of_slots_are_used),
		TEST(failing_maintenance_blocks_nothing_else),
		TEST(internal_errors_open_no_breaker),
	};
	return cmocka_run_group_tests_name("deliver/dispatcher", tests, NULL, NULL);
}
