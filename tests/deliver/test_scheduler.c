/* SPDX-License-Identifier: MIT
 * Scheduling of webhooks (docs/deliveries.md 4, fairness and rate). */
#include "unit.h"

#include "base/attributes.h"
#include "deliver/scheduler.h"

enum { SLOTS = 128, MAX = 4, TURN = 2, START = 4 };

/* `slots` plus the quarter that is reserved for webhooks with nothing under way. */
#define BEFORE_THE_RESERVE(slots) ((slots) + SLOTS / 4)

static const struct health_rules rules = { .concurrency_start = START,
	.concurrency_max = MAX,
	.breaker_failures = 5,
	.probe_wait_ms = 10000,
	.probe_wait_max_ms = 3600000,
	.disable_after_ms = INT64_MAX };
static struct due_request requests[SLOTS];
static struct scheduler *scheduler;

static int
begin(void **state UNUSED)
{
	scheduler = scheduler_new(&(struct scheduler_limits){ .webhooks = 64, .slots = SLOTS, .turn = TURN }, &rules);
	return 0;
}

static int
end(void **state UNUSED)
{
	scheduler_free(&scheduler);
	return 0;
}

/* A webhook that has succeeded before. */
static struct due_webhook
good(uint64_t webhook_id)
{
	return (struct due_webhook){ .webhook_id = webhook_id, .failing_since_ms = -1, .succeeded = true };
}

static void
offer(uint64_t webhook_id, int64_t now_ms)
{
	const struct due_webhook webhook = good(webhook_id);
	scheduler_offer(scheduler, &webhook, now_ms);
}

static void
offer_failing(uint64_t webhook_id, int64_t now_ms)
{
	struct due_webhook webhook = good(webhook_id);
	webhook.failures = 1;
	webhook.failing_since_ms = 0;
	scheduler_offer(scheduler, &webhook, now_ms);
}

/* Rows that the last scheduler_take gave to a webhook. */
static size_t
rows_of(uint64_t webhook_id, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (requests[i].webhook_id == webhook_id)
			return requests[i].rows;
	return 0;
}

static void
start(uint64_t webhook_id, size_t count, int64_t now_ms)
{
	for (size_t i = 0; i < count; i++)
		scheduler_started(scheduler, webhook_id, now_ms);
}

static enum health_change
attempted(uint64_t webhook_id, bool success, int64_t now_ms)
{
	struct health health;
	enum health_change change = scheduler_attempted(scheduler, webhook_id, success, now_ms, &health);
	scheduler_ended(scheduler, webhook_id, now_ms);
	return change;
}

/* Starts all deliveries that it gets. Returns their number. */
static size_t
take_and_start(size_t slots, int64_t now_ms)
{
	size_t started = 0, count = scheduler_take(scheduler, slots, slots, now_ms, requests);
	for (size_t i = 0; i < count; i++) {
		start(requests[i].webhook_id, requests[i].rows, now_ms);
		started += requests[i].rows;
	}
	scheduler_taken(scheduler, now_ms);
	return started;
}

static void
slots_are_given_out_evenly(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 3; id++)
		offer(id, 0);
	size_t count = scheduler_take(scheduler, BEFORE_THE_RESERVE(6), BEFORE_THE_RESERVE(6), 0, requests);
	assert_int_equal(count, 3);
	for (uint64_t id = 1; id <= 3; id++)
		assert_int_equal(rows_of(id, count), 2);
}

/* A claim may take fewer than the unused slots; slots are not scarce then. */
static void
a_claim_has_its_own_maximum(void **state UNUSED)
{
	offer(1, 0);
	offer(2, 0);
	size_t count = scheduler_take(scheduler, SLOTS, 3, 0, requests);
	assert_int_equal(rows_of(1, count) + rows_of(2, count), 3);
	assert_in_range(rows_of(1, count), 2, 3);
}

static void
the_rotation_continues_where_it_stopped(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 3; id++)
		offer(id, 0);
	assert_int_equal(take_and_start(2, 0), 2);
	assert_int_equal(scheduler_take(scheduler, 1, 1, 0, requests), 1);
	assert_int_equal(requests[0].webhook_id, 3);
}

static void
no_webhook_gets_more_than_its_concurrency(void **state UNUSED)
{
	offer(1, 0);
	offer(2, 0);
	start(1, MAX - 1, 0);
	size_t count = scheduler_take(scheduler, SLOTS, SLOTS, 0, requests);
	assert_int_equal(rows_of(1, count), 1);
	assert_int_equal(rows_of(2, count), MAX);
	start(1, 1, 0);
	start(2, MAX, 0);
	scheduler_taken(scheduler, 0);
	assert_false(scheduler_waiting(scheduler));
	assert_int_equal(scheduler_take(scheduler, SLOTS, SLOTS, 0, requests), 0);
	assert_true(scheduler_next_ms(scheduler, SLOTS, 0) == CLOCK_NEVER);
	scheduler_ended(scheduler, 2, 0);
	assert_true(scheduler_waiting(scheduler));
	assert_int_equal(scheduler_next_ms(scheduler, SLOTS, 0), 0);
}

static void
a_webhook_with_fewer_rows_than_requested_leaves(void **state UNUSED)
{
	offer(1, 0);
	offer(2, 0);
	assert_int_equal(scheduler_take(scheduler, BEFORE_THE_RESERVE(4), BEFORE_THE_RESERVE(4), 0, requests), 2);
	start(1, 2, 0);
	start(2, 1, 0);
	scheduler_taken(scheduler, 0);
	assert_int_equal(scheduler_take(scheduler, BEFORE_THE_RESERVE(8), BEFORE_THE_RESERVE(8), 0, requests), 1);
	assert_int_equal(requests[0].webhook_id, 1);
}

/* docs/deliveries.md 3: Retry-After of 429 and 503 holds the whole webhook. */
static void
a_held_webhook_gets_nothing(void **state UNUSED)
{
	offer(1, 0);
	start(1, 2, 0);
	assert_true(scheduler_hold(scheduler, 1, 1000));
	assert_false(scheduler_hold(scheduler, 1, 1000));
	assert_false(scheduler_hold(scheduler, 1, 900));
	assert_int_equal(scheduler_held_until_ms(scheduler, 1), 1000);
	assert_false(scheduler_waiting(scheduler));
	offer(1, 999);
	assert_false(scheduler_waiting(scheduler));
	offer(1, 1000);
	assert_true(scheduler_waiting(scheduler));
}

/* The database's clock may be set back: a webhook whose rate limit then allows nothing gets no empty turn. */
static void
no_webhook_gets_an_empty_turn(void **state UNUSED)
{
	struct due_webhook webhook = good(1);
	webhook.rate = 1;
	scheduler_offer(scheduler, &webhook, 1000);
	assert_int_equal(take_and_start(1, 1000), 1);
	(void)attempted(1, true, 1000);
	scheduler_offer(scheduler, &webhook, 2500); /* allows one delivery */
	assert_int_equal(scheduler_take(scheduler, SLOTS, SLOTS, 1500, requests), 0);
	assert_int_equal(scheduler_take(scheduler, SLOTS, SLOTS, 2500, requests), 1);
	assert_int_equal(requests[0].rows, 1);
}

/* The position of the next row: after those that it had, unless the database reports an older one that was committed late. */
static void
a_turn_continues_after_the_last_row(void **state UNUSED)
{
	struct due_webhook webhook = good(1);
	webhook.first_due_ms = 100;
	scheduler_offer(scheduler, &webhook, 1000);
	assert_int_equal(scheduler_take(scheduler, BEFORE_THE_RESERVE(2), BEFORE_THE_RESERVE(2), 1000, requests), 1);
	assert_true(requests[0].from_ms == 100);
	requests[0].last_ms = 150;
	start(1, 2, 1000);
	scheduler_taken(scheduler, 1000);
	webhook.first_due_ms = 160;
	scheduler_offer(scheduler, &webhook, 1001);
	assert_int_equal(scheduler_take(scheduler, BEFORE_THE_RESERVE(1), BEFORE_THE_RESERVE(1), 1001, requests), 1);
	assert_true(requests[0].from_ms == 150);
	requests[0].last_ms = 155;
	start(1, 1, 1001);
	scheduler_taken(scheduler, 1001);
	webhook.first_due_ms = 120;
	scheduler_offer(scheduler, &webhook, 1002);
	assert_int_equal(scheduler_take(scheduler, BEFORE_THE_RESERVE(1), BEFORE_THE_RESERVE(1), 1002, requests), 1);
	assert_true(requests[0].from_ms == 120);
}

/* The operator may have ended the hold. */
static void
the_database_is_authoritative_while_nothing_is_under_way(void **state UNUSED)
{
	offer(1, 0);
	start(1, 1, 0);
	assert_true(scheduler_hold(scheduler, 1, CLOCK_NEVER));
	offer(1, 10);
	assert_false(scheduler_waiting(scheduler));
	scheduler_ended(scheduler, 1, 20);
	offer(1, 30);
	assert_true(scheduler_waiting(scheduler));
}

static void
ended_deliveries_free_their_slots(void **state UNUSED)
{
	scheduler_free(&scheduler);
	scheduler = scheduler_new(&(struct scheduler_limits){ .webhooks = 2, .slots = SLOTS, .turn = TURN }, &rules);
	for (uint64_t id = 1; id <= 3; id++)
		offer(id, 0);
	assert_int_equal(scheduler_take(scheduler, 8, 8, 0, requests), 2);
	scheduler_taken(scheduler, 0); /* nothing was started */
	offer(3, 0);
	assert_int_equal(scheduler_take(scheduler, 1, 1, 0, requests), 1);
	assert_int_equal(requests[0].webhook_id, 3);
}

/* docs/deliveries.md 4: only one dispatcher sends to a webhook at a time. */
static void
webhooks_of_other_dispatchers_get_nothing(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 20; id++)
		offer(id, 0);
	scheduler_retain(scheduler, UINT64_C(1) << webhook_shard(7), 0);
	size_t count = scheduler_take(scheduler, SLOTS, SLOTS, 0, requests);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(webhook_shard(requests[i].webhook_id), webhook_shard(7));
	assert_int_equal(rows_of(7, count), MAX);
	offer(8, 1);
	assert_int_equal(scheduler_take(scheduler, SLOTS, SLOTS, 1, requests), 1);
}

/* docs/deliveries.md 4, rate: holds however often the webhook is offered, and whichever others were offered in between. */
static void
a_rate_limit_holds(void **state UNUSED)
{
	enum { RATE = 5, SECONDS = 10 };
	struct due_webhook limited = good(1);
	size_t started = 0;
	limited.rate = RATE;
	for (int64_t now = 0; now < SECONDS * 1000; now++) {
		scheduler_offer(scheduler, &limited, now);
		size_t taken = take_and_start(SLOTS, now);
		assert_true(taken <= 1);
		if (taken == 0 && started > 0)
			assert_in_range(scheduler_next_ms(scheduler, SLOTS, now), now + 1, now + 1000 / RATE);
		started += taken;
		for (; taken > 0; taken--)
			(void)attempted(1, true, now);
	}
	assert_in_range(started, RATE * SECONDS, RATE * SECONDS + 1);
}

/* … and deliveries of a high rate start in groups of a tenth of a second. */
static void
a_high_rate_is_sent_in_groups(void **state UNUSED)
{
	enum { RATE = 1000 };
	struct due_webhook limited = good(1);
	size_t started = 0;
	limited.rate = RATE;
	for (int64_t now = 0; now <= 2000; now += 10) {
		scheduler_offer(scheduler, &limited, now);
		for (size_t taken; (taken = take_and_start(SLOTS, now)) > 0; started += taken)
			for (; taken > 0; taken--, started++)
				(void)attempted(1, true, now);
	}
	assert_in_range(started, 2 * RATE, 2 * RATE + RATE / 10 + 10);
}

/* docs/deliveries.md 4, fairness: however many webhooks hang, half of the slots are for the others. */
static void
webhooks_on_probation_share_half_of_the_slots(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 50; id++)
		offer_failing(id, 0);
	assert_int_equal(take_and_start(SLOTS, 0), SLOTS / 2);
	assert_true(scheduler_next_ms(scheduler, SLOTS / 2, 0) == CLOCK_NEVER);
	offer(60, 1);
	assert_int_equal(scheduler_next_ms(scheduler, SLOTS / 2, 1), 1);
	assert_int_equal(take_and_start(SLOTS / 2, 1), MAX);
	/* a success frees room for others of them */
	assert_int_equal(attempted(1, true, 2), HEALTH_UNCHANGED);
	assert_int_equal(scheduler_next_ms(scheduler, SLOTS / 2 - MAX + 1, 2), 2);
}

/* The same for webhooks without any attempt. */
static void
new_webhooks_are_on_probation(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 50; id++) {
		struct due_webhook webhook = good(id);
		webhook.succeeded = false;
		scheduler_offer(scheduler, &webhook, 0);
	}
	assert_int_equal(take_and_start(SLOTS, 0), SLOTS / 2);
}

/* Healthy webhooks and those on probation alternate, so that the latter are served too. */
static void
healthy_webhooks_and_those_on_probation_alternate(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 20; id++)
		offer(id, 0);
	offer_failing(21, 0);
	size_t count = scheduler_take(scheduler, BEFORE_THE_RESERVE(8), BEFORE_THE_RESERVE(8), 0, requests);
	assert_int_equal(rows_of(21, count), MAX);
}

/* Webhooks with high concurrency leave the last quarter to others, even when many start at once. */
static void
the_last_slots_are_for_webhooks_with_nothing_under_way(void **state UNUSED)
{
	static const struct health_rules wide = { .concurrency_start = START,
		.concurrency_max = 32,
		.breaker_failures = 5,
		.probe_wait_ms = 10000,
		.probe_wait_max_ms = 3600000,
		.disable_after_ms = INT64_MAX };
	scheduler_free(&scheduler);
	scheduler = scheduler_new(&(struct scheduler_limits){ .webhooks = 64, .slots = SLOTS, .turn = TURN }, &wide);
	for (uint64_t id = 1; id <= 8; id++) {
		offer(id, 0);
		for (size_t i = 0; i < 32; i++) { /* grown by successes */
			start(id, 1, 0);
			assert_int_equal(attempted(id, true, 0), HEALTH_UNCHANGED);
		}
		offer(id, 0);
	}
	assert_in_range(take_and_start(SLOTS, 0), SLOTS * 3 / 4, SLOTS * 3 / 4 + TURN);
	offer(60, 1);
	size_t count = scheduler_take(scheduler, SLOTS / 4, SLOTS / 4, 1, requests);
	assert_int_equal(count, 1);
	assert_int_equal(rows_of(60, count), 1);
}

/* docs/deliveries.md 3, breaker: one probe at a time; its outcome decides on the next one. */
static void
an_open_breaker_allows_one_probe(void **state UNUSED)
{
	struct due_webhook webhook = good(1);
	webhook.failures = 7;
	webhook.probes = 1;
	webhook.failing_since_ms = 0;
	scheduler_offer(scheduler, &webhook, 50000);
	assert_int_equal(take_and_start(SLOTS, 50000), 1);
	scheduler_offer(scheduler, &webhook, 51000);
	assert_int_equal(take_and_start(SLOTS, 51000), 0);
	struct health health;
	assert_int_equal(scheduler_attempted(scheduler, 1, false, 52000, &health), HEALTH_UNCHANGED);
	assert_int_equal(health.probes, 2);
	assert_int_equal(scheduler_held_until_ms(scheduler, 1), 52000 + 40000);
	scheduler_ended(scheduler, 1, 52000);
	assert_false(scheduler_waiting(scheduler));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(slots_are_given_out_evenly),
		TEST(a_claim_has_its_own_maximum),
		TEST(no_webhook_gets_an_empty_turn),
		TEST(the_rotation_continues_where_it_stopped),
		TEST(no_webhook_gets_more_than_its_concurrency),
		TEST(a_webhook_with_fewer_rows_than_requested_leaves),
		TEST(a_held_webhook_gets_nothing),
		TEST(a_turn_continues_after_the_last_row),
		TEST(the_database_is_authoritative_while_nothing_is_under_way),
		TEST(ended_deliveries_free_their_slots),
		TEST(webhooks_of_other_dispatchers_get_nothing),
		TEST(a_rate_limit_holds),
		TEST(a_high_rate_is_sent_in_groups),
		TEST(webhooks_on_probation_share_half_of_the_slots),
		TEST(new_webhooks_are_on_probation),
		TEST(healthy_webhooks_and_those_on_probation_alternate),
		TEST(the_last_slots_are_for_webhooks_with_nothing_under_way),
		TEST(an_open_breaker_allows_one_probe),
	};
	return cmocka_run_group_tests_name("deliver/scheduler", tests, NULL, NULL);
}
