/* SPDX-License-Identifier: MIT
 * The scheduler's shares (docs/deliveries.md 4, fairness), and deliveries that wait in slots.
 * Modules: deliver/scheduler, deliver/slots. */
#include "scheduler_world.h"

#include <string.h>

/* ---- shares: docs/deliveries.md 4, fairness ---- */

/* Sends all deliveries that the shares allow. What cannot be sent is dropped and fetched again, as the feeder does after a
 * while. */
static size_t
send_for_long(int64_t now_ms)
{
	size_t sent = send_all(now_ms);
	while (slots_first(slots, SLOT_FETCHED) != NULL)
		drop(webhook_of(slots_first(slots, SLOT_FETCHED)), now_ms);
	sent += send_all(now_ms);
	assert_int_equal(send_all(now_ms), 0);
	return sent;
}

/* However many webhooks hang, half of the slots are for the others. */
static void
webhooks_on_probation_share_half_of_the_slots(void **state UNUSED)
{
	begin_again(2 * WEBHOOKS, &rules);
	for (uint64_t id = 1; id <= SHARE + 10; id++)
		offer_failing(id, 0);
	assert_int_equal(send_for_long(0), SHARE);
	assert_int_equal(slots_in(slots, SLOT_FETCHED), 0);
	assert_true(scheduler_next_ms(scheduler, PLACES(SLOTS - SHARE), 0) == CLOCK_NEVER);
	offer(100, 1);
	assert_int_equal(send_all(1), MAX);
	/* a success makes room for others on probation */
	assert_int_equal(attempted(1, true, 2), HEALTH_UNCHANGED);
	assert_true(scheduler_wants(scheduler, 2));
	assert_true(send_all(2) > 0);
}

/* The last quarter is for webhooks with nothing under way; deliveries that only wait to be recorded do not use up all of it. */
static void
ended_deliveries_leave_the_reserve(void **state UNUSED)
{
	begin_again(2 * WEBHOOKS, &rules);
	offer(1, 0);
	fetch(0);
	assert_int_equal(send_one(SLOTS, 0), 1);
	assert_null(scheduler_take(scheduler, PLACES(RESERVE), 0));
	assert_null(scheduler_take(scheduler, (struct places){ 0, SLOTS }, 0));
	assert_null(scheduler_take(scheduler, (struct places){ RESERVE / 2, SLOTS }, 0)); /* except for half of it */
	assert_true(scheduler_next_ms(scheduler, (struct places){ RESERVE / 2 + 1, RESERVE + 1 }, 0) == 0);
	assert_non_null(scheduler_take(scheduler, (struct places){ RESERVE / 2 + 1, RESERVE + 1 }, 0));
}

/* Webhooks without any attempt count as on probation, too. */
static void
new_webhooks_are_on_probation(void **state UNUSED)
{
	begin_again(2 * WEBHOOKS, &rules);
	for (uint64_t id = 1; id <= SHARE + 10; id++) {
		const struct due_webhook webhook = new_of(1, id);
		offer_webhook(&webhook, ROWS, 0);
	}
	assert_int_equal(send_for_long(0), SHARE);
}

/* The last half of the share for probation is for webhooks with nothing under way, one slot each. */
static void
the_last_half_of_the_share_is_one_slot_each(void **state UNUSED)
{
	for (uint64_t id = 1; id <= SHARE / MAX; id++)
		offer_failing(id, 0);
	assert_in_range(send_all(0), SHARE / 2, SHARE / 2 + 1);
	for (uint64_t id = 31; id <= 60; id++)
		offer_failing(id, 1);
	assert_in_range(send_all(1), 29, 30);
	assert_in_range(sending(60), 1, 1);
}

/* If there are several accounts, each gets a quarter of the share for probation. */
static void
an_account_gets_a_quarter_of_the_share(void **state UNUSED)
{
	set_several_accounts(true);
	for (uint64_t id = 1; id <= 40; id++) {
		const struct due_webhook webhook = new_of(1, id);
		offer_webhook(&webhook, ROWS, 0);
	}
	assert_int_equal(send_all(0), ACCOUNT_SHARE);
	assert_int_equal(slots_in(slots, SLOT_FETCHED), 0);
	const struct due_webhook other = new_of(2, 60);
	offer_webhook(&other, ROWS, 1);
	assert_int_equal(send_all(1), MAX);
	assert_int_equal(sending(60), MAX);
	/* the next one of the first account comes when one of its own has ended */
	ended(60, 2);
	due[60] = 0;
	assert_int_equal(send_all(2), 0);
	ended(webhook_of(under_way[0]), 3);
	assert_int_equal(send_all(3), 1);
	/* its healthy webhooks are not affected */
	struct due_webhook healthy = good(61);
	healthy.account_id = 1;
	offer_webhook(&healthy, ROWS, 4);
	assert_int_equal(send_all(4), MAX);
	/* if it is the only account, it gets all of the share */
	set_several_accounts(false);
	assert_true(send_all(5) > ACCOUNT_SHARE / 2);
}

/* This also holds when its webhooks fail after their deliveries have been fetched. */
static void
an_account_that_begins_to_fail_gets_its_share(void **state UNUSED)
{
	set_several_accounts(true);
	for (uint64_t id = 1; id <= 24; id++)
		offer(id, 0);
	fetch(0);
	for (uint64_t id = 1; id <= 24; id++)
		assert_int_equal(send_one(SLOTS, 0), id);
	for (uint64_t id = 1; id <= 24; id++)
		assert_int_equal(attempted(id, false, 1), HEALTH_UNCHANGED);
	assert_in_range(send_all(1), 1, ACCOUNT_SHARE);
	assert_int_equal(under_way_count, ACCOUNT_SHARE);
}

static void
webhooks_that_begin_to_fail_share_half_of_the_slots(void **state UNUSED)
{
	begin_again(2 * WEBHOOKS, &rules);
	for (uint64_t id = 1; id <= 90; id++)
		offer(id, 0);
	assert_int_equal(send_all(0), SLOTS - RESERVE);
	for (uint64_t id = 1; id <= 90; id++)
		while (sending(id) > 0)
			assert_int_equal(attempted(id, false, 1), HEALTH_UNCHANGED);
	assert_true(slots_in(slots, SLOT_FETCHED) > SHARE);
	assert_int_equal(send_all(1), SHARE);
}

/* Healthy webhooks and those on probation alternate, so that the latter are served too. */
static void
healthy_webhooks_and_those_on_probation_alternate(void **state UNUSED)
{
	for (uint64_t id = 1; id <= 20; id++)
		offer(id, 0);
	offer_failing(21, 0);
	assert_int_equal(fetch_some(MAX + TURN, 0), 2);
	assert_int_equal(rows_of(21, 2), TURN);
	fetch(0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal((send_one(SLOTS, 0) == 21) + (send_one(SLOTS, 0) == 21), 1);
}

/* Webhooks with high concurrency leave the last quarter to others. */
static void
the_last_slots_are_for_webhooks_with_nothing_under_way(void **state UNUSED)
{
	begin_again(WEBHOOKS, &wide);
	for (uint64_t id = 1; id <= 8; id++)
		offer(id, 0);
	assert_int_equal(send_all(0), SLOTS - RESERVE);
	offer(60, 1);
	assert_int_equal(send_all(1), 1);
	assert_int_equal(sending(60), 1);
}

/* ---- known webhooks: docs/deliveries.md 4 ---- */

static void
offer_of(uint64_t account_id, uint64_t webhook_id, int64_t now_ms)
{
	struct due_webhook webhook = good(webhook_id);
	webhook.account_id = account_id;
	offer_webhook(&webhook, ROWS, now_ms);
}

/* However many webhooks of an account have something due, deliveries of another account are sent at once. */
static void
an_account_does_not_use_up_the_known_webhooks(void **state UNUSED)
{
	set_several_accounts(true);
	for (uint64_t id = 1; id <= WEBHOOKS + 20; id++) {
		const struct due_webhook webhook = new_of(1, id);
		offer_webhook(&webhook, ROWS, 0);
	}
	assert_int_equal(send_all(0), ACCOUNT_SHARE); /* account 1 waits */
	offer_of(2, 100, 1);
	assert_int_equal(send_all(1), MAX);
	assert_int_equal(sending(100), MAX);
	/* two such accounts do not keep out a third one either */
	for (uint64_t id = 101; id <= 127; id++) {
		const struct due_webhook webhook = new_of(2, id);
		offer_webhook(&webhook, ROWS, 2);
	}
	assert_int_equal(send_all(2), ACCOUNT_SHARE);
	offer_of(3, 90, 3);
	assert_int_equal(send_all(3), MAX);
	assert_int_equal(sending(90), MAX);
}

/* Webhooks that are rate-limited, or have deliveries in slots, keep their entries: otherwise their limits and counts would be
 * lost. */
static void
only_webhooks_that_wait_lose_their_place(void **state UNUSED)
{
	struct due_webhook limited = new_of(1, 2);
	limited.rate = 1;
	limited.succeeded = true;
	begin_again(3, &rules);
	offer_of(1, 1, 0);
	offer_webhook(&limited, ROWS, 0);
	assert_int_equal(send_all(0), MAX + 1);
	ended(2, 1); /* none of its deliveries is under way, but it may not send yet */
	drop(1, 1);
	for (size_t i = 1; i < MAX; i++)
		ended(1, 1);
	offer_of(1, 3, 1);
	offer_of(2, 4, 1);
	offer_of(2, 5, 1); /* account 2 now has as many as account 1 */
	assert_int_equal(send_all(1), 2 * MAX - 1);
	assert_int_equal(sending(4), MAX);
	assert_int_equal(sending(1), MAX);
	assert_int_equal(send_all(1000), 1);
	assert_int_equal(sending(2), 1);
}

/* Accounts with much to do share them equally, and continue when one of them has done its part. */
static void
accounts_share_the_known_webhooks(void **state UNUSED)
{
	enum { EACH = WEBHOOKS / 2 };
	size_t served[3] = { 0 };
	for (int polls = 0; polls < 3; polls++)
		for (uint64_t id = 1; id <= 2 * WEBHOOKS - 4; id++)
			offer_of(id <= WEBHOOKS ? 1 : 2, id, polls);
	const size_t count = scheduler_request(scheduler, 2 * ROWS, ROWS, 3, requests);
	for (size_t i = 0; i < count; i++) {
		served[requests[i].webhook_id <= WEBHOOKS ? 1 : 2]++;
		assert_true((requests[i].webhook_id - 1) % WEBHOOKS < EACH); /* the first ones stay */
	}
	assert_int_equal(served[1], EACH);
	assert_int_equal(served[2], EACH);
}

/* ---- what waits in slots ---- */

/* The next deliveries of a healthy webhook are fetched before it can send them; those of a webhook on probation are not. */
static void
healthy_webhooks_need_not_wait_for_a_fetch(void **state UNUSED)
{
	offer(1, 0);
	offer_failing(2, 0);
	assert_int_equal(send_all(0), 2 * MAX);
	assert_int_equal(sending(2), MAX);
	assert_in_range(slots_in(slots, SLOT_FETCHED), 1, 2 * MAX);
	ended(1, 1);
	assert_int_equal(send_one(SLOTS, 1), 1);
	ended(2, 1);
	assert_int_equal(send_one(SLOTS, 1), 0);
	assert_true(send_all(1) == 1 && sending(2) == MAX);
}

/* A single webhook with many deliveries gets more of them at a time than in its turn among others. */
static void
few_webhooks_get_more_at_a_time(void **state UNUSED)
{
	begin_again(WEBHOOKS, &wide);
	offer(1, 0);
	assert_int_equal(fetch_some(ROWS, 0), 1);
	assert_int_equal(rows_of(1, 1), SLOTS);
	begin_again(WEBHOOKS, &wide);
	for (uint64_t id = 1; id <= WEBHOOKS; id++)
		offer(id, 0);
	assert_int_equal(fetch_some(TURN * WEBHOOKS / 4, 0), WEBHOOKS / 4);
}

/* Routine successes are stored with their webhook once a second; any other result is always stored. */
static void
routine_results_are_stored_once_a_second(void **state UNUSED)
{
	offer(1, 5000);
	offer(2, 5000);
	assert_true(scheduler_claim_result(scheduler, 1, RESULT_IS_ROUTINE, 5000));
	assert_false(scheduler_claim_result(scheduler, 1, RESULT_IS_ROUTINE, 5000));
	assert_false(scheduler_claim_result(scheduler, 1, RESULT_IS_ROUTINE, 5999));
	assert_true(scheduler_claim_result(scheduler, 2, RESULT_IS_ROUTINE, 5999));
	assert_true(scheduler_claim_result(scheduler, 1, RESULT_IS_ROUTINE, 6000));
	assert_true(scheduler_claim_result(scheduler, 1, RESULT_IS_NEWS, 6001));
	assert_false(scheduler_claim_result(scheduler, 1, RESULT_IS_ROUTINE, 7000));
	assert_true(scheduler_claim_result(scheduler, 1, RESULT_IS_ROUTINE, 3000)); /* the clock was set back */
}

/* ---- any operations in any order ---- */

static uint32_t seed;

static size_t
below(size_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (size_t)((uint64_t)seed * limit >> 32);
}

static bool on_probation[2 * WEBHOOKS];

static uint64_t
account_of(uint64_t webhook_id)
{
	return webhook_id % 5;
}

static void
offer_any(int64_t now_ms)
{
	struct due_webhook webhook = good(1 + below(WEBHOOKS + 20));
	webhook.account_id = account_of(webhook.webhook_id);
	webhook.succeeded = below(2) == 0;
	webhook.failures = below(3) == 0 ? (unsigned)below(4) : 0;
	webhook.rate = below(8) == 0 ? 20 : 0;
	if (sending(webhook.webhook_id) == 0)
		on_probation[webhook.webhook_id] = !webhook.succeeded || webhook.failures > 0;
	offer_webhook(&webhook, 1 + below(20), now_ms);
}

/* Compares the shares with a fresh count of everything. */
static void
assert_shares(void)
{
	size_t all = 0, of_account[5] = { 0 };
	for (size_t i = 0; i < under_way_count; i++) {
		const uint64_t id = webhook_of(under_way[i]);
		all += on_probation[id] ? 1 : 0;
		of_account[account_of(id)] += on_probation[id] ? 1 : 0;
		assert_true(sending(id) <= MAX);
	}
	assert_true(all <= SHARE);
	for (size_t i = 0; i < 5; i++)
		assert_true(of_account[i] <= ACCOUNT_SHARE);
}

static void
do_any(int64_t now_ms)
{
	const uint64_t any = under_way_count == 0 ? 0 : webhook_of(under_way[below(under_way_count)]);
	switch (below(9)) {
	case 0:
		offer_any(now_ms);
		break;
	case 1:
	case 2:
		if (room() > 0 && scheduler_wants(scheduler, now_ms))
			(void)fetch_some(1 + below(room()), now_ms);
		break;
	case 3:
	case 4:
		if (send_one(SLOTS - under_way_count, now_ms) != 0)
			assert_shares();
		break;
	case 5:
	case 6:
		if (any == 0)
			break;
		if (below(4) > 0) {
			/* a failure may put more deliveries on probation than their share allows, but starts none */
			struct health health;
			const bool success = below(5) > 0;
			(void)scheduler_attempted(scheduler, any, success ? RETRY_DELIVERED : RETRY_LATER, now_ms, &health);
			while (!success && sending(any) > 1)
				ended(any, now_ms);
			on_probation[any] = !success;
		}
		ended(any, now_ms);
		break;
	case 7:
		if (slots_first(slots, SLOT_FETCHED) != NULL)
			drop(webhook_of(slots_first(slots, SLOT_FETCHED)), now_ms);
		break;
	case 8:
		if (any != 0 && below(10) == 0)
			(void)hold(any, now_ms + (int64_t)below(100));
		else if (below(50) == 0)
			scheduler_retain(scheduler, UINT64_C(0x5555555555555555), now_ms);
		break;
	}
}

/* The limits hold after any operations, and when all deliveries have ended, everything is as at the start. */
static void
any_operations_keep_the_counts(void **state UNUSED)
{
	enum { ROUNDS = 20, OPERATIONS = 5000, FEW = 6 };
	for (seed = 1; seed < 1000; seed += 1000 / ROUNDS) {
		const uint32_t first = seed;
		const bool few = first % 100 > 50; /* few entries: webhooks lose theirs again and again */
		int64_t now_ms = 1000;
		begin_again(few ? FEW : WEBHOOKS, &rules);
		set_several_accounts(true);
		memset(on_probation, 0, sizeof(on_probation));
		for (size_t i = 0; i < OPERATIONS; i++, now_ms += below(10) == 0 ? 1 : 0)
			do_any(now_ms);
		while (under_way_count > 0)
			ended(webhook_of(under_way[0]), now_ms);
		while (slots_first(slots, SLOT_FETCHED) != NULL)
			drop(webhook_of(slots_first(slots, SLOT_FETCHED)), now_ms);
		assert_int_equal(slots_used(slots), 0);
		scheduler_retain(scheduler, 0, now_ms); /* so that all entries are idle */
		for (uint64_t id = 1; id <= WEBHOOKS; id++) {
			const struct due_webhook webhook = new_of(account_of(id), id);
			offer_webhook(&webhook, ROWS, now_ms + 1000000);
		}
		assert_int_equal(send_for_long(now_ms + 1000000), few ? FEW * MAX : SHARE);
		seed = first;
	}
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(webhooks_on_probation_share_half_of_the_slots),
		TEST(ended_deliveries_leave_the_reserve),
		TEST(new_webhooks_are_on_probation),
		TEST(the_last_half_of_the_share_is_one_slot_each),
		TEST(an_account_gets_a_quarter_of_the_share),
		TEST(an_account_that_begins_to_fail_gets_its_share),
		TEST(webhooks_that_begin_to_fail_share_half_of_the_slots),
		TEST(healthy_webhooks_and_those_on_probation_alternate),
		TEST(the_last_slots_are_for_webhooks_with_nothing_under_way),
		TEST(an_account_does_not_use_up_the_known_webhooks),
		TEST(only_webhooks_that_wait_lose_their_place),
		TEST(accounts_share_the_known_webhooks),
		TEST(healthy_webhooks_need_not_wait_for_a_fetch),
		TEST(few_webhooks_get_more_at_a_time),
		TEST(routine_results_are_stored_once_a_second),
		TEST(any_operations_keep_the_counts),
	};
	return cmocka_run_group_tests_name("deliver/shares", tests, NULL, NULL);
}
