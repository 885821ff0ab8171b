/* SPDX-License-Identifier: MIT
 * Time limits of attempts (docs/deliveries.md 2) while the process is busy or stopped, and of idle connections.
 * Modules: deliver/send. */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deliver/receiver.h"
#include "deliver/sending.h"
#include "os/clock.h"

/* Starts an attempt that gets no answer. Returns when its request, and those before it, have been sent. */
static void
start_hanging(struct seen *seen)
{
	start_path("127.0.0.1", "/hang", seen);
	for (unsigned i = 0; i < 3; i++)
		(void)wait_a_moment(50, -1);
}

/* A response that came while the process was busy counts as in time. */
static void
a_busy_process_extends_the_time_limit(void **state UNUSED)
{
	struct seen answered, hanging;
	start_path("127.0.0.1", "/status/200", &answered);
	start_hanging(&hanging);
	assert_false(hanging.done);
	poll(NULL, 0, 2 * TIMEOUT_MS);
	if (!answered.done)
		await(&answered, 1);
	assert_int_equal(answered.error, SENDER_OK);
	assert_int_equal(answered.status, 200);
	assert_false(hanging.done);
	await(&hanging, 1);
	assert_int_equal(hanging.error, SENDER_TIMEOUT);
	assert_true(hanging.duration_ms >= 3 * TIMEOUT_MS - 100);
	/* the next attempt has the usual time limit */
	hanging = send_path("127.0.0.1", "/hang");
	assert_in_range(hanging.duration_ms, TIMEOUT_MS - 50, 3 * TIMEOUT_MS - 100);
}

/* The same holds while the process was busy with the report of another attempt. */
static void
a_long_report_extends_the_time_limit(void **state UNUSED)
{
	struct seen answered, hanging;
	start_path("127.0.0.1", "/hang", &hanging);
	start_path("127.0.0.1", "/status/200", &answered);
	busy_ms = 2 * TIMEOUT_MS;
	await(&answered, 1);
	busy_ms = 0;
	await(&hanging, 1);
	assert_int_equal(hanging.error, SENDER_TIMEOUT);
	assert_true(hanging.duration_ms >= 3 * TIMEOUT_MS - 100);
}

/* A response that came while the process or the machine was suspended counts as in time, too. */
static void
a_stopped_process_extends_the_time_limit(void **state UNUSED)
{
	struct seen hanging;
	start_hanging(&hanging);
	const pid_t stopper = fork();
	assert_true(stopper >= 0);
	if (stopper == 0) {
		poll(NULL, 0, 50);
		(void)kill(getppid(), SIGSTOP);
		poll(NULL, 0, 2 * TIMEOUT_MS);
		(void)kill(getppid(), SIGCONT);
		_exit(0);
	}
	await(&hanging, 1);
	assert_int_equal(hanging.error, SENDER_TIMEOUT);
	assert_true(hanging.duration_ms >= 3 * TIMEOUT_MS - 200);
	assert_int_equal(waitpid(stopper, NULL, 0), stopper);
}

/* The extension is limited. */
static void
the_extension_has_a_maximum(void **state UNUSED)
{
	struct seen hanging;
	start_hanging(&hanging);
	poll(NULL, 0, STALL_MAX_MS + 2 * TIMEOUT_MS);
	await(&hanging, 1);
	assert_int_equal(hanging.error, SENDER_TIMEOUT);
	assert_true(hanging.duration_ms < STALL_MAX_MS + 3 * TIMEOUT_MS);
}

/* The end of the extension is noticed even when nothing else happens. */
static void
an_attempt_that_was_delayed_ends_in_time(void **state UNUSED)
{
	struct seen hanging;
	start_hanging(&hanging);
	poll(NULL, 0, TIMEOUT_MS);
	const int64_t before = clock_monotonic_ms();
	while (!hanging.done)
		(void)wait_a_moment(DEADLINE_MS, -1);
	assert_int_equal(hanging.error, SENDER_TIMEOUT);
	assert_in_range(clock_monotonic_ms() - before, TIMEOUT_MS / 2, 3 * TIMEOUT_MS);
}

/* docs/deliveries.md 2, connections */
static void
an_idle_connection_is_given_up(void **state UNUSED)
{
	enum { IDLE_MS = 4000 };
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(send_path("127.0.0.1", "/status/200").status, 200);
	assert_int_equal(receiver_connections(), 1);
	poll(NULL, 0, IDLE_MS + 100);
	assert_int_equal(send_path("127.0.0.1", "/status/200").status, 200);
	assert_int_equal(receiver_connections(), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_busy_process_extends_the_time_limit),
		TEST(a_long_report_extends_the_time_limit),
		TEST(a_stopped_process_extends_the_time_limit),
		TEST(the_extension_has_a_maximum),
		TEST(an_attempt_that_was_delayed_ends_in_time),
		TEST(an_idle_connection_is_given_up),
	};
	return cmocka_run_group_tests_name("deliver/send/sender_time", tests, set_up, tear_down);
}
