/* SPDX-License-Identifier: MIT
 * The descriptors, timers and delays of an event loop. */
#include "unit.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attributes.h"
#include "os/clock.h"
#include "os/event_loop.h"

enum { OURS, THEIRS };

static struct event_loop *loop;
static int ends[2];
static unsigned calls, timer_calls, delays;
static uint32_t last_ready;

static int
open_loop(void **state UNUSED)
{
	calls = timer_calls = delays = 0;
	loop = event_loop_new();
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends);
}

static int
close_loop(void **state UNUSED)
{
	event_loop_forget(loop, ends[OURS]);
	close(ends[OURS]);
	if (ends[THEIRS] >= 0)
		close(ends[THEIRS]);
	event_loop_free(&loop);
	return 0;
}

static void
count(void *context, int fd, uint32_t ready)
{
	assert_ptr_equal(context, &calls);
	assert_int_equal(fd, ends[OURS]);
	last_ready = ready;
	calls++;
	event_loop_return(loop);
}

static void
count_timer(void *context UNUSED, int64_t now_ms UNUSED)
{
	timer_calls++;
	event_loop_return(loop);
}

static void
send_byte(void)
{
	assert_int_equal(write(ends[THEIRS], "x", 1), 1);
}

static void
wait_ms(int64_t ms)
{
	event_loop_wait(loop, clock_monotonic_ms() + ms);
}

static void
a_handler_is_called_while_its_event_holds(void **state UNUSED)
{
	char byte;
	event_loop_watch_input(loop, ends[OURS], count, &calls);
	wait_ms(0);
	assert_int_equal(calls, 0);
	send_byte();
	wait_ms(10000);
	wait_ms(10000);
	assert_int_equal(calls, 2);
	assert_int_equal(last_ready, EPOLLIN);
	assert_int_equal(read(ends[OURS], &byte, 1), 1);
	wait_ms(0);
	assert_int_equal(calls, 2);
	assert_true(event_loop_watch(loop, ends[OURS], EPOLLIN | EPOLLOUT, count, &calls));
	wait_ms(10000);
	assert_int_equal(last_ready, EPOLLOUT);
}

static void
an_error_is_all_that_was_wanted(void **state UNUSED)
{
	assert_true(event_loop_watch(loop, ends[OURS], EPOLLIN | EPOLLOUT, count, &calls));
	close(ends[THEIRS]);
	wait_ms(10000);
	assert_int_equal(last_ready, EPOLLIN | EPOLLOUT);
	ends[THEIRS] = -1;
}

static int pairs[2][2];

/* Both are readable in the same iteration: what is wanted of the other one then changes, so it is not reported as readable. */
static void
want_less_of_the_other(void *context, int fd, uint32_t ready)
{
	const int other = fd == pairs[0][0] ? pairs[1][0] : pairs[0][0];
	assert_int_not_equal(ready, 0);
	calls++;
	assert_true(event_loop_watch(loop, other, EPOLLPRI, want_less_of_the_other, context));
	event_loop_return(loop);
}

static void
a_handler_is_not_called_without_an_event(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
		assert_int_equal(write(pairs[i][1], "x", 1), 1);
		event_loop_watch_input(loop, pairs[i][0], want_less_of_the_other, &calls);
	}
	wait_ms(10000);
	assert_int_equal(calls, 1);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		event_loop_forget(loop, pairs[i][0]);
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
}

static void
nothing_is_heard_of_a_forgotten_descriptor(void **state UNUSED)
{
	event_loop_watch_input(loop, ends[OURS], count, &calls);
	event_loop_watch_input(loop, -1, count, &calls);
	send_byte();
	event_loop_forget(loop, ends[OURS]);
	event_loop_forget(loop, -1);
	wait_ms(10);
	assert_int_equal(calls, 0);
}

/* Events of a kept descriptor are not reported either, and do not make the loop spin. */
static void
a_kept_descriptor_is_not_reported_until_it_is_wanted(void **state UNUSED)
{
	event_loop_keep(loop, ends[OURS]);
	event_loop_watch_input(loop, ends[OURS], count, &calls);
	assert_true(event_loop_watch(loop, ends[OURS], 0, count, &calls));
	send_byte();
	wait_ms(20);
	assert_int_equal(calls, 0);
	event_loop_watch_input(loop, ends[OURS], count, &calls);
	wait_ms(10000);
	assert_int_equal(calls, 1);
}

static void
a_timer_runs_once_when_it_is_due(void **state UNUSED)
{
	const int64_t begun_ms = clock_monotonic_ms();
	struct event_timer timer = { .due_ms = begun_ms + 30, .run = count_timer };
	event_loop_add_timer(loop, &timer);
	wait_ms(10000);
	assert_int_equal(timer_calls, 1);
	assert_in_range(clock_monotonic_ms() - begun_ms, 30, 5000);
	assert_true(timer.due_ms == CLOCK_NEVER);
	wait_ms(0);
	assert_int_equal(timer_calls, 1);
	timer.due_ms = 0;
	event_loop_remove_timer(&timer);
	wait_ms(0);
	assert_int_equal(timer_calls, 1);
}

static void
a_wait_ends_in_time(void **state UNUSED)
{
	const int64_t begun_ms = clock_monotonic_ms();
	wait_ms(30);
	assert_in_range(clock_monotonic_ms() - begun_ms, 30, 5000);
}

static void
note_delay(void *context UNUSED, int64_t since_ms, int64_t now_ms)
{
	assert_true(now_ms - since_ms >= EVENT_DELAY_MS);
	delays++;
}

static void
time_outside_of_the_wait_is_a_delay(void **state UNUSED)
{
	event_loop_on_delay(loop, note_delay, NULL);
	wait_ms(2 * EVENT_DELAY_MS);
	const unsigned before = delays; /* there may be some on a busy machine */
	poll(NULL, 0, EVENT_DELAY_MS + 10);
	wait_ms(0);
	assert_int_equal(delays, before + 1);
}

int
main(void)
{
#define LOOP_TEST(name) cmocka_unit_test_setup_teardown(name, open_loop, close_loop)
	const struct CMUnitTest tests[] = {
		LOOP_TEST(a_handler_is_called_while_its_event_holds),
		LOOP_TEST(an_error_is_all_that_was_wanted),
		LOOP_TEST(a_handler_is_not_called_without_an_event),
		LOOP_TEST(nothing_is_heard_of_a_forgotten_descriptor),
		LOOP_TEST(a_kept_descriptor_is_not_reported_until_it_is_wanted),
		LOOP_TEST(a_timer_runs_once_when_it_is_due),
		LOOP_TEST(a_wait_ends_in_time),
		LOOP_TEST(time_outside_of_the_wait_is_a_delay),
	};
	return cmocka_run_group_tests_name("os/event_loop", tests, NULL, NULL);
}
