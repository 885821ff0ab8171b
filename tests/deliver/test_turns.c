/* SPDX-License-Identifier: MIT
 * Turns among webhooks (delivery.md 4, fairness). */
#include "unit.h"

#include "base/attributes.h"
#include "deliver/turns.h"

enum { LIMIT = 4 };

static struct due_request requests[128];

/* Rows that the last turns_take gave to a webhook. */
static size_t
rows_of(uint64_t webhook_id, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (requests[i].webhook_id == webhook_id)
			return requests[i].rows;
	return 0;
}

static void
start(struct turns *turns, uint64_t webhook_id, size_t count)
{
	for (size_t i = 0; i < count; i++)
		turns_started(turns, webhook_id);
}

static void
slots_are_given_out_evenly(void **state UNUSED)
{
	struct turns *turns = turns_new(8, LIMIT, 2);
	for (uint64_t id = 1; id <= 3; id++)
		turns_offer(turns, id, 0);
	size_t count = turns_take(turns, 6, requests);
	assert_int_equal(count, 3);
	for (uint64_t id = 1; id <= 3; id++)
		assert_int_equal(rows_of(id, count), 2);
	turns_free(&turns);
}

static void
turns_go_on_where_they_stopped(void **state UNUSED)
{
	struct turns *turns = turns_new(8, LIMIT, 2);
	for (uint64_t id = 1; id <= 3; id++)
		turns_offer(turns, id, 0);
	assert_int_equal(turns_take(turns, 4, requests), 2);
	assert_int_equal(turns_take(turns, 1, requests), 1);
	assert_int_equal(requests[0].webhook_id, 3);
	turns_free(&turns);
}

static void
nobody_gets_more_than_the_limit(void **state UNUSED)
{
	struct turns *turns = turns_new(8, LIMIT, 2);
	turns_offer(turns, 1, 0);
	turns_offer(turns, 2, 0);
	start(turns, 1, LIMIT - 1);
	size_t count = turns_take(turns, 100, requests);
	assert_int_equal(rows_of(1, count), 1);
	assert_int_equal(rows_of(2, count), LIMIT);
	start(turns, 1, 1);
	start(turns, 2, LIMIT);
	turns_settle(turns);
	assert_false(turns_waiting(turns));
	assert_int_equal(turns_take(turns, 100, requests), 0);
	turns_ended(turns, 2);
	assert_true(turns_waiting(turns));
	turns_free(&turns);
}

static void
who_has_less_than_was_asked_for_leaves(void **state UNUSED)
{
	struct turns *turns = turns_new(8, LIMIT, 2);
	turns_offer(turns, 1, 0);
	turns_offer(turns, 2, 0);
	assert_int_equal(turns_take(turns, 4, requests), 2);
	start(turns, 1, 2);
	start(turns, 2, 1);
	turns_settle(turns);
	size_t count = turns_take(turns, 8, requests);
	assert_int_equal(count, 1);
	assert_int_equal(requests[0].webhook_id, 1);
	turns_free(&turns);
}

/* delivery.md 3: Retry-After of 429 and 503 holds the whole webhook. */
static void
a_silenced_webhook_stays_away(void **state UNUSED)
{
	struct turns *turns = turns_new(8, LIMIT, 2);
	turns_offer(turns, 1, 0);
	start(turns, 1, 2);
	assert_true(turns_silence(turns, 1, 1000));
	assert_false(turns_silence(turns, 1, 1000));
	assert_false(turns_silence(turns, 1, 900));
	assert_false(turns_waiting(turns));
	turns_offer(turns, 1, 999);
	assert_false(turns_waiting(turns));
	turns_offer(turns, 1, 1000);
	assert_true(turns_waiting(turns));
	turns_free(&turns);
}

static void
room_comes_back(void **state UNUSED)
{
	struct turns *turns = turns_new(2, LIMIT, 2);
	for (uint64_t id = 1; id <= 3; id++)
		turns_offer(turns, id, 0);
	assert_int_equal(turns_take(turns, 8, requests), 2);
	turns_settle(turns); /* nothing was started */
	turns_offer(turns, 3, 0);
	assert_int_equal(turns_take(turns, 1, requests), 1);
	assert_int_equal(requests[0].webhook_id, 3);
	turns_free(&turns);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_given_out_evenly),
		cmocka_unit_test(turns_go_on_where_they_stopped),
		cmocka_unit_test(nobody_gets_more_than_the_limit),
		cmocka_unit_test(who_has_less_than_was_asked_for_leaves),
		cmocka_unit_test(a_silenced_webhook_stays_away),
		cmocka_unit_test(room_comes_back),
	};
	return cmocka_run_group_tests_name("deliver/turns", tests, NULL, NULL);
}
