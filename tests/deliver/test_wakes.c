/* SPDX-License-Identifier: MIT
 * docs/deliveries.md 4.2, wakes: a wake makes the next poll earlier, but no number of wakes lets polls take more than their
 * share of the time. Also tests which polls read only the newest rows during a dump. Runs in a fake world (fake_world.h), with
 * a real socket. Modules: deliver. */
#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "run_dispatcher.h"

enum { SHORT_POLL = 1, LONG_POLL = 20, WOKEN_POLL = 1, FLOOD_MS = 10 * SECOND };

static int ends[2]; /* the two ends of the socket: the dispatcher's and ours */

static int
set_up(void **state)
{
	fresh_world(state);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	options.wake_fd = ends[0];
	options.poll_ms = HOUR;
	return 0;
}

static int
clean_up(void **state UNUSED)
{
	close(ends[0]);
	close(ends[1]);
	return 0;
}

/* Sends wakes until the socket accepts no more. */
static void
wake(void)
{
	while (send(ends[1], "", 1, 0) == 1)
		;
}

static void
sign_up(void)
{
	world_add(1, 1, world.now_ms);
	wake();
	world.happens_ms += 137;
}

/* More often than the polls that follow a fetch. */
static void
sign_up_often(void)
{
	sign_up();
	world.happens_ms = world.now_ms + 7;
	if (world.now_ms >= 4 * SECOND)
		world.happen = NULL;
}

static void
sign_up_beside_slow_polls(void)
{
	world.poll_ms = world.delivery_count % 50 == 0 ? LONG_POLL : SHORT_POLL;
	sign_up_often();
}

static void
flood(void)
{
	wake();
	world.happens_ms = world.now_ms + 1;
}

static void
flood_until_it_is_read(void)
{
	wake();
	world.happen = NULL;
}

/* Sign-ups happen until `until_ms`; each delivery is sent within `ms`. */
static void
assert_sent_within(void (*happen)(void), int64_t until_ms, int64_t ms)
{
	world.happen = happen;
	world.happens_ms = SECOND;
	stay_until(until_ms);
	assert_true(world.delivery_count > 400);
	for (size_t i = 0; i < world.delivery_count; i++)
		assert_in_range(world.deliveries[i].started_ms[0] - world.deliveries[i].born_ms, 0, ms);
}

static void
a_wake_starts_a_poll(void **state UNUSED)
{
	assert_sent_within(sign_up, MINUTE, 2 * SHORT_POLL);
}

/* It waits for the share of the poll before, and for no more than that. */
static void
a_wake_after_a_fetch_starts_a_poll(void **state UNUSED)
{
	assert_sent_within(sign_up_often, 5 * SECOND, 4 * SHORT_POLL + WOKEN_POLL + 2 * SHORT_POLL);
}

/* A poll that takes longer than others does not delay the next one by four times its duration. */
static void
a_slow_poll_delays_the_next_one_little(void **state UNUSED)
{
	assert_sent_within(sign_up_beside_slow_polls, 5 * SECOND, 2 * LONG_POLL);
}

/* The dispatcher does not wake once for each wake that is sent, and polls for no more than a fifth of the time. */
static void
a_flood_is_not_followed(void **state UNUSED)
{
	world.poll_ms = world.newest_poll_ms = LONG_POLL;
	world.happen = flood;
	stay_until(FLOOD_MS);
	assert_in_range(world.polls, 10, FLOOD_MS / (5 * LONG_POLL));
	assert_true(world.wakes <= world.polls + 1);
}

/* There is a pause even between polls that take no time. */
static void
a_flood_is_not_followed_by_short_polls(void **state UNUSED)
{
	world.poll_ms = 0;
	world.happen = flood;
	stay_until(FLOOD_MS);
	assert_in_range(world.polls, 10, FLOOD_MS / WOKEN_POLL);
	assert_true(world.wakes <= world.polls + 1);
}

/* Polls take a tenth of the time while webhooks wait for their turn: here, except once a second, when a delivery is sent. */
static void
a_flood_does_not_slow_down_a_busy_dispatcher(void **state UNUSED)
{
	world.poll_ms = world.newest_poll_ms = LONG_POLL;
	world_add(1, 100, 0);
	world.webhooks[1].rate = 1;
	world.happen = flood;
	stay_until(FLOOD_MS);
	assert_in_range(sent(1), 9, 11);
	assert_in_range(world.polls, 10, FLOOD_MS / (10 * LONG_POLL) + FLOOD_MS / SECOND);
}

/* While full polls are slow, other polls read only the newest rows … */
static void
newest_rows_are_polled_while_that_is_faster(void **state UNUSED)
{
	world.poll_ms = 2 * LONG_POLL;
	world.newest_poll_ms = LONG_POLL;
	world.happen = flood;
	stay_until(FLOOD_MS);
	assert_in_range(world.newest_polls, world.polls / 2, world.polls);
}

/* … unless this takes longer than a full poll. It is then tried again after 30 s. */
static void
newest_rows_are_not_polled_while_that_is_slower(void **state UNUSED)
{
	world.poll_ms = 2 * LONG_POLL;
	world.newest_poll_ms = 3 * LONG_POLL;
	world.happen = flood;
	stay_until(MINUTE);
	assert_in_range(world.newest_polls, 2, 3);
	assert_in_range(world.polls, MINUTE / (12 * LONG_POLL), MINUTE / (10 * LONG_POLL));
}

/* A wake that cannot lead to a poll yet does not keep the dispatcher busy: the fake world fails the test if the dispatcher
 * spins. */
static void
a_wake_waits_for_a_slot(void **state UNUSED)
{
	for (uint64_t id = 1; id <= SLOTS; id++) {
		world_add(id, 1, 0);
		world.webhooks[id].latency_ms = 10 * SECOND;
	}
	world.happen = flood_until_it_is_read;
	world.happens_ms = SECOND;
	stay_until(MINUTE);
	assert_int_equal(world_count(0, DELIVERY_DELIVERED), SLOTS);
	assert_true(world.wakes <= world.polls + 1);
}

static void
a_wake_waits_for_the_database(void **state UNUSED)
{
	world.outage_from_ms = SECOND;
	world.outage_until_ms = 30 * SECOND;
	world_add(1, 1, 0);
	world.happen = sign_up;
	world.happens_ms = 2 * SECOND;
	stay_until(MINUTE);
	assert_int_equal(world_count(1, DELIVERY_PENDING), 0);
	assert_true(world.calls_in_outage < 80);
}

/* leadhook-dispatch(8): a run from cron ends when nothing is due. */
static void
a_flood_does_not_keep_cron_running(void **state UNUSED)
{
	world_add(1, 1, 0);
	world.happen = flood;
	assert_int_equal(run(NULL), RESULT_OK);
	assert_int_equal(world_count(1, DELIVERY_DELIVERED), 1);
	assert_true(world.now_ms < SECOND);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, clean_up)
	const struct CMUnitTest tests[] = {
		TEST(a_wake_starts_a_poll),
		TEST(a_wake_after_a_fetch_starts_a_poll),
		TEST(a_slow_poll_delays_the_next_one_little),
		TEST(a_flood_is_not_followed),
		TEST(a_flood_is_not_followed_by_short_polls),
		TEST(a_flood_does_not_slow_down_a_busy_dispatcher),
		TEST(newest_rows_are_polled_while_that_is_faster),
		TEST(newest_rows_are_not_polled_while_that_is_slower),
		TEST(a_wake_waits_for_a_slot),
		TEST(a_wake_waits_for_the_database),
		TEST(a_flood_does_not_keep_cron_running),
	};
	return cmocka_run_group_tests_name("deliver/wakes", tests, NULL, NULL);
}
