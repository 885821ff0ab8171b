/* SPDX-License-Identifier: MIT
 * Scheduling of webhooks: rotation, limits of a webhook, rate (docs/deliveries.md 4), what is fetched. */
#include "scheduler_world.h"

/* ---- rotation ---- */

static void
webhooks_take_turns(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 3; id++)
		offer(id, 0);
	fetch(0);
	for (size_t i = 0; i < 3 * MAX; i++)
		assert_int_equal(send_one(SLOTS, 0), i % 3 + 1);
	assert_int_equal(send_one(SLOTS, 0), 0);
}

/* No matter how many webhooks an account has, it gets one turn among the other accounts. */
static void
accounts_take_turns(void **state UNUSED)
{
	struct due_webhook webhook = good(21);
	for (uint64_t id = 1; id <= 20; id++)
		offer(id, 0);
	webhook.account_id = 7;
	offer_webhook(&webhook, ROWS, 0);
	fetch(0);
	for (size_t i = 0; i < MAX; i++) {
		assert_int_equal(send_one(SLOTS, 0), i + 1);
		assert_int_equal(send_one(SLOTS, 0), 21);
	}
	assert_int_equal(send_one(SLOTS, 0), MAX + 1);
	assert_int_equal(send_one(SLOTS, 0), MAX + 2);
}

static void
accounts_take_turns_when_fetching(void **state UNUSED)
{
	struct due_webhook webhook = good(21);
	for (uint64_t id = 1; id <= 20; id++)
		offer(id, 0);
	webhook.account_id = 7;
	offer_webhook(&webhook, ROWS, 0);
	assert_int_equal(fetch_some(2 * MAX, 0), 2);
	assert_int_equal(rows_of(1, 2), MAX);
	assert_int_equal(rows_of(21, 2), MAX);
	/* the rotation continues where it stopped */
	assert_int_equal(fetch_some(MAX, 0), 1);
	assert_int_equal(rows_of(2, 1), MAX);
}

static void
the_rotation_continues_where_it_stopped(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 3; id++)
		offer(id, 0);
	fetch(0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_int_equal(send_one(SLOTS, 0), 2);
	offer(1, 1);
	assert_int_equal(send_one(SLOTS, 1), 3);
}

/* ---- limits of a webhook ---- */

static void
no_webhook_gets_more_than_its_concurrency(void **state UNUSED)
{
	offer(1, 0);
	offer(2, 0);
	assert_int_equal(send_all(0), 2 * MAX);
	assert_int_equal(sending(1), MAX);
	assert_true(scheduler_next_ms(scheduler, PLACES(SLOTS), 0) == CLOCK_NEVER);
	assert_false(scheduler_waiting(scheduler));
	ended(2, 0);
	assert_true(scheduler_waiting(scheduler));
	assert_int_equal(send_one(SLOTS, 0), 2);
	assert_int_equal(attempted(1, false, 0), HEALTH_UNCHANGED);
	assert_int_equal(send_one(SLOTS, 0), 0);
}

static void
nothing_starts_without_a_slot(void **state UNUSED)
{
	offer(1, 0);
	fetch(0);
	assert_null(scheduler_take(scheduler, PLACES(0), 0));
	assert_true(scheduler_next_ms(scheduler, PLACES(0), 0) == CLOCK_NEVER);
	assert_true(scheduler_waiting(scheduler));
}

/* After a fetch that finds fewer rows than were requested, the webhook has no more until it is offered again. */
static void
a_webhook_with_fewer_rows_than_requested_leaves(void **state UNUSED)
{
	const struct due_webhook webhook = good(1);
	offer_webhook(&webhook, 3, 0);
	assert_int_equal(send_all(0), 3);
	assert_false(scheduler_wants(scheduler, 0));
	assert_false(scheduler_waiting(scheduler));
	offer_webhook(&webhook, 1, 1);
	assert_true(scheduler_waiting(scheduler));
	assert_int_equal(send_all(1), 1);
}

/* docs/deliveries.md 3: Retry-After of 429 and 503 holds the whole webhook, including deliveries that are already fetched. */
static void
a_held_webhook_gets_nothing(void **state UNUSED)
{
	offer(1, 0);
	fetch(0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_true(hold(1, 1000));
	assert_false(hold(1, 1000));
	assert_false(hold(1, 900));
	assert_int_equal(held_until_ms(1), 1000);
	assert_false(scheduler_waiting(scheduler));
	assert_int_equal(send_one(SLOTS, 999), 0);
	offer(1, 999);
	assert_false(scheduler_waiting(scheduler));
	offer(1, 1000);
	assert_true(scheduler_waiting(scheduler));
	assert_int_equal(send_one(SLOTS, 1000), 1);
}

/* docs/deliveries.md 3, breaker: one probe at a time; its outcome decides on the next one. */
static void
an_open_breaker_allows_one_probe(void **state UNUSED)
{
	struct due_webhook webhook = good(1);
	webhook.failures = 7;
	webhook.probes = 1;
	webhook.failing_since_ms = 0;
	offer_webhook(&webhook, ROWS, 50000);
	assert_int_equal(send_all(50000), 1);
	offer_webhook(&webhook, ROWS, 51000);
	assert_int_equal(send_all(51000), 0);
	assert_int_equal(slots_in(slots, SLOT_FETCHED), 0);
	struct health health;
	assert_int_equal(scheduler_attempted(scheduler, 1, RETRY_LATER, 52000, &health), HEALTH_UNCHANGED);
	assert_int_equal(health.probes, 2);
	assert_int_equal(held_until_ms(1), 52000 + 40000);
	ended(1, 52000);
	assert_false(scheduler_waiting(scheduler));
}

/* ---- rate: docs/deliveries.md 4 ---- */

/* The limit holds however often the webhook is offered. */
static void
a_rate_limit_holds(void **state UNUSED)
{
	enum { RATE = 5, SECONDS = 10 };
	struct due_webhook limited = good(1);
	size_t started = 0;
	limited.rate = RATE;
	for (int64_t now = 0; now < SECONDS * 1000; now++) {
		offer_webhook(&limited, ROWS, now);
		size_t sent = send_all(now);
		assert_true(sent <= 1);
		if (sent == 0 && started > 0)
			assert_in_range(scheduler_next_ms(scheduler, PLACES(SLOTS), now), now + 1, now + 1000 / RATE);
		started += sent;
		for (; sent > 0; sent--)
			(void)attempted(1, true, now);
	}
	assert_in_range(started, RATE * SECONDS, RATE * SECONDS + 1);
}

/* At a high rate, deliveries start in groups of a tenth of a second. */
static void
a_high_rate_is_sent_in_groups(void **state UNUSED)
{
	enum { RATE = 1000 };
	struct due_webhook limited = good(1);
	size_t started = 0;
	limited.rate = RATE;
	for (int64_t now = 0; now <= 2000; now += 10) {
		offer_webhook(&limited, ROWS, now);
		for (size_t sent; (sent = send_all(now)) > 0;)
			for (; sent > 0; sent--, started++)
				(void)attempted(1, true, now);
	}
	assert_in_range(started, 2 * RATE, 2 * RATE + RATE / 10 + 10);
}

/* No more deliveries are fetched than may be sent soon. */
static void
a_rate_limit_bounds_what_is_fetched(void **state UNUSED)
{
	struct due_webhook limited = good(1);
	limited.rate = 1;
	offer_webhook(&limited, ROWS, 0);
	offer(2, 0);
	fetch(0);
	assert_int_equal(due[1], ROWS - 1);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_int_equal(send_one(SLOTS, 0), 2);
	assert_false(scheduler_wants(scheduler, 0) && fetch_some(room(), 0) > 0 && due[1] < ROWS - 1);
	assert_true(scheduler_waiting(scheduler));
	fetch(1000);
	assert_int_equal(due[1], ROWS - 2);
}

/* The database's clock may be set back: if the rate limit of a webhook then allows nothing, it gets no empty turn. */
static void
no_webhook_gets_an_empty_turn(void **state UNUSED)
{
	struct due_webhook webhook = good(1);
	webhook.rate = 1;
	offer_webhook(&webhook, ROWS, 1000);
	assert_int_equal(send_all(1000), 1);
	(void)attempted(1, true, 1000);
	offer_webhook(&webhook, ROWS, 2500); /* the limit allows one delivery */
	assert_int_equal(scheduler_request(scheduler, SLOTS, ROWS, 1500, requests), 0);
	assert_int_equal(send_all(2500), 1);
}

/* ---- values from the database ---- */

/* The operator may have ended the hold. */
static void
the_database_is_authoritative_while_nothing_is_under_way(void **state UNUSED)
{
	offer(1, 0);
	fetch(0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_true(hold(1, CLOCK_NEVER));
	offer(1, 10);
	assert_false(scheduler_waiting(scheduler));
	ended(1, 20);
	offer(1, 30);
	assert_true(scheduler_waiting(scheduler));
}

/* Values that were read before a newer outcome was recorded do not count. */
static void
older_values_do_not_replace_ours(void **state UNUSED)
{
	const struct due_webhook older = good(1);
	offer(1, 0);
	fetch(0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	const uint64_t ends = scheduler_ends(scheduler);
	assert_true(hold(1, 1000));
	ended(1, 20);
	offer_since(&older, ends, 30);
	assert_int_equal(held_until_ms(1), 1000);
	assert_false(scheduler_waiting(scheduler));
	offer_since(&older, scheduler_ends(scheduler), 40);
	assert_int_equal(held_until_ms(1), 0);
	assert_true(scheduler_waiting(scheduler));
}

static void
assert_last(uint64_t webhook_id, int64_t due_ms, uint64_t id, int64_t now_ms)
{
	size_t at = 0;
	const size_t count = scheduler_request(scheduler, ROWS, ROWS, now_ms, requests);
	while (at < count && requests[at].webhook_id != webhook_id)
		at++;
	assert_true(at < count);
	assert_int_equal(requests[at].last.due_ms, due_ms);
	assert_int_equal(requests[at].last.id, id);
	requests[0] = requests[at];
}

/* A fetch begins after the rows that were read, unless the database reports an older row that was committed late. A failed
 * fetch has read no rows. */
static void
a_fetch_continues_after_the_last_row(void **state UNUSED)
{
	struct due_webhook webhook = good(1);
	webhook.first_due_ms = 100;
	offer_since(&webhook, 0, 1000);
	assert_last(1, 0, 0, 1000);
	requests[0].last = (struct due_position){ 150, 7 };
	requests[0].more = true;
	scheduler_answer(scheduler, requests, RESULT_OK, 1000);
	webhook.first_due_ms = 160;
	offer_since(&webhook, 0, 1001);
	assert_last(1, 150, 7, 1001);
	requests[0].last = (struct due_position){ 170, 9 };
	requests[0].more = false;
	scheduler_answer(scheduler, requests, RESULT_UNAVAILABLE, 1001);
	assert_last(1, 150, 7, 1002);
	requests[0].last = (struct due_position){ 155, 8 };
	requests[0].more = true;
	scheduler_answer(scheduler, requests, RESULT_OK, 1002);
	webhook.first_due_ms = 120;
	offer_since(&webhook, 0, 1003);
	assert_last(1, 120, 0, 1003);
}

/* A webhook has one request at a time, which takes account of what is under way. */
static void
a_webhook_has_one_request_at_a_time(void **state UNUSED)
{
	offer(1, 0);
	fetch_some(3, 0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_true(scheduler_wants(scheduler, 0));
	assert_int_equal(scheduler_request(scheduler, ROWS, ROWS, 0, requests), 1);
	assert_int_equal(requests[0].under_way, 3);
	assert_false(scheduler_wants(scheduler, 0));
	offer(1, 1);
	assert_false(scheduler_wants(scheduler, 1));
	answer(requests, 1);
	assert_int_equal(send_all(1), MAX - 1);
}

static void
what_is_dropped_is_fetched_again(void **state UNUSED)
{
	const struct due_webhook webhook = good(1);
	offer_webhook(&webhook, MAX - 1, 0);
	fetch(0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_false(scheduler_wants(scheduler, 0));
	drop(1, 0);
	assert_int_equal(slots_in(slots, SLOT_FETCHED), 0);
	assert_int_equal(send_one(SLOTS, 0), 0);
	assert_last(1, 0, 0, 0);
	assert_int_equal(requests[0].under_way, 1);
	answer(requests, 0);
	assert_int_equal(send_all(0), MAX - 2);
	drop(1, 0);
	drop(1, 0); /* nothing is left */
}

static void
an_unused_entry_makes_room(void **state UNUSED)
{
	begin_again(2, &rules);
	for (uint64_t id = 1; id <= 3; id++)
		offer(id, 0);
	due[1] = 0;
	assert_int_equal(send_all(0), MAX); /* the third webhook has no entry, and the first has nothing due after all */
	assert_int_equal(sending(2), MAX);
	offer(3, 0);
	assert_int_equal(send_all(0), MAX);
	assert_int_equal(sending(3), MAX);
	offer(1, 0);
	assert_int_equal(send_all(0), 0);
	/* an unused entry of an account makes room, too */
	while (sending(3) > 0)
		ended(3, 0);
	drop(3, 0);
	due[3] = 0;
	assert_int_equal(send_all(0), 0);
	for (uint64_t id = 10; id <= 30; id++) {
		const struct due_webhook webhook = new_of(id, id);
		offer_webhook(&webhook, 1, 1);
		assert_int_equal(send_all(1), 1);
		ended(id, 1);
	}
}

/* docs/deliveries.md 4.1: only one dispatcher sends to a webhook at a time. */
static void
webhooks_of_other_dispatchers_get_nothing(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 20; id++)
		offer(id, 0);
	scheduler_retain(scheduler, UINT64_C(1) << webhook_shard(7), 0);
	assert_int_equal(send_all(0), MAX);
	assert_int_equal(sending(7), MAX);
	offer(8, 1);
	assert_int_equal(send_all(1), MAX);
	assert_int_equal(sending(8), MAX);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(webhooks_take_turns),
		TEST(accounts_take_turns),
		TEST(accounts_take_turns_when_fetching),
		TEST(the_rotation_continues_where_it_stopped),
		TEST(no_webhook_gets_more_than_its_concurrency),
		TEST(nothing_starts_without_a_slot),
		TEST(a_webhook_with_fewer_rows_than_requested_leaves),
		TEST(a_held_webhook_gets_nothing),
		TEST(an_open_breaker_allows_one_probe),
		TEST(a_rate_limit_holds),
		TEST(a_high_rate_is_sent_in_groups),
		TEST(a_rate_limit_bounds_what_is_fetched),
		TEST(no_webhook_gets_an_empty_turn),
		TEST(the_database_is_authoritative_while_nothing_is_under_way),
		TEST(older_values_do_not_replace_ours),
		TEST(a_fetch_continues_after_the_last_row),
		TEST(a_webhook_has_one_request_at_a_time),
		TEST(what_is_dropped_is_fetched_again),
		TEST(an_unused_entry_makes_room),
		TEST(webhooks_of_other_dispatchers_get_nothing),
	};
	return cmocka_run_group_tests_name("deliver/scheduler", tests, NULL, NULL);
}
