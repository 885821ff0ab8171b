/* SPDX-License-Identifier: MIT
 * Fibers: their turns, what they wait for, and what each has of its own. */
#include "unit.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attributes.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/fiber.h"
#include "os/log.h"

enum { OURS, THEIRS, FIBERS = 3, SOON_MS = 20, LONG_MS = 10000 };

/* What a fiber does, and what came of it. */
struct job {
	struct fiber *fiber;
	int ends[2];
	int64_t wait_ms;
	const char *work;
	bool kept;
	/* results */
	bool ready;
	char byte;
};

static struct event_loop *loop;
static struct job jobs[FIBERS];
static char order[32]; /* the fibers, by number, in the order in which they continued */

static int
open_jobs(void **state UNUSED)
{
	loop = event_loop_new();
	order[0] = '\0';
	for (int i = 0; i < FIBERS; i++) {
		jobs[i] = (struct job){ .fiber = fiber_new(loop), .wait_ms = LONG_MS };
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, jobs[i].ends) != 0)
			return -1;
	}
	return 0;
}

static int
close_jobs(void **state UNUSED)
{
	for (int i = 0; i < FIBERS; i++) {
		fiber_free(&jobs[i].fiber);
		close(jobs[i].ends[OURS]);
		close(jobs[i].ends[THEIRS]);
	}
	event_loop_free(&loop);
	return 0;
}

static void
receive(void *context)
{
	struct job *job = context;
	if (job->work != NULL)
		log_work(LOG_STR("request", job->work));
	if (job->kept)
		fiber_keep(job->ends[OURS]);
	job->ready = fiber_wait(job->ends[OURS], POLLIN, clock_monotonic_ms() + job->wait_ms);
	if (job->ready)
		assert_int_equal(read(job->ends[OURS], &job->byte, 1), 1);
	snprintf(order + strlen(order), sizeof(order) - strlen(order), "%d", (int)(job - jobs));
	if (job->work != NULL) {
		assert_non_null(log_current_work());
		assert_true(slice_equal(log_current_work()->value.text, slice_of(job->work)));
		log_work_done();
	} else {
		assert_null(log_current_work());
	}
	event_loop_return(loop);
}

static void
send_to(const struct job *job, char byte)
{
	assert_int_equal(write(job->ends[THEIRS], &byte, 1), 1);
}

static void
wait_for_end(const struct job *job)
{
	const int64_t end_ms = clock_monotonic_ms() + LONG_MS;
	while (fiber_is_running(job->fiber) && clock_monotonic_ms() < end_ms)
		event_loop_wait(loop, end_ms);
	assert_false(fiber_is_running(job->fiber));
}

static void
test_it_continues_when_its_descriptor_is_ready(void **state UNUSED)
{
	fiber_run(jobs[0].fiber, receive, &jobs[0]);
	assert_true(fiber_is_running(jobs[0].fiber));
	send_to(&jobs[0], 'a');
	wait_for_end(&jobs[0]);
	assert_true(jobs[0].ready);
	assert_int_equal(jobs[0].byte, 'a');
}

static void
test_others_run_while_one_waits(void **state UNUSED)
{
	for (int i = 0; i < FIBERS; i++)
		fiber_run(jobs[i].fiber, receive, &jobs[i]);
	for (int i = FIBERS - 1; i >= 0; i--) {
		send_to(&jobs[i], (char)('a' + i));
		wait_for_end(&jobs[i]);
		assert_int_equal(jobs[i].byte, 'a' + i);
	}
	assert_string_equal(order, "210");
}

static void
test_its_time_ends(void **state UNUSED)
{
	jobs[0].wait_ms = SOON_MS;
	const int64_t begun_ms = clock_monotonic_ms();
	fiber_run(jobs[0].fiber, receive, &jobs[0]);
	wait_for_end(&jobs[0]);
	assert_false(jobs[0].ready);
	assert_true(clock_monotonic_ms() - begun_ms >= SOON_MS);
}

static void
test_a_fiber_is_used_again(void **state UNUSED)
{
	for (int i = 0; i < 3; i++) {
		fiber_run(jobs[0].fiber, receive, &jobs[0]);
		send_to(&jobs[0], (char)('x' + i));
		wait_for_end(&jobs[0]);
		assert_int_equal(jobs[0].byte, 'x' + i);
	}
}

/* The descriptor stays registered, and its number may be that of another connection later. */
static void
test_a_kept_descriptor(void **state UNUSED)
{
	struct job *job = &jobs[0];
	job->kept = true;
	for (int i = 0; i < 3; i++) {
		fiber_run(job->fiber, receive, job);
		send_to(job, (char)('x' + i));
		wait_for_end(job);
		assert_int_equal(job->byte, 'x' + i);
	}
}

static void
forget_and_close(void *context)
{
	struct job *job = context;
	fiber_keep(job->ends[OURS]);
	assert_false(fiber_wait(job->ends[OURS], POLLIN, clock_monotonic_ms() + 1));
	const int number = job->ends[OURS];
	fiber_forget(number);
	close(number);
	close(job->ends[THEIRS]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, job->ends), 0);
	assert_true(job->ends[OURS] == number || job->ends[THEIRS] == number);
	send_to(job, 'n');
	receive(job);
}

static void
test_a_forgotten_number_is_watched_again(void **state UNUSED)
{
	fiber_run(jobs[0].fiber, forget_and_close, &jobs[0]);
	wait_for_end(&jobs[0]);
	assert_true(jobs[0].ready);
}

static void
test_each_has_its_own_work_for_the_log(void **state UNUSED)
{
	jobs[0].work = "first";
	jobs[1].work = "second";
	for (int i = 0; i < FIBERS; i++) {
		fiber_run(jobs[i].fiber, receive, &jobs[i]);
		assert_null(log_current_work());
	}
	for (int i = 0; i < FIBERS; i++) {
		send_to(&jobs[i], 'w');
		wait_for_end(&jobs[i]);
		assert_null(log_current_work());
	}
}

static void
test_outside_of_fibers_it_is_poll(void **state UNUSED)
{
	assert_false(fiber_is_current());
	assert_false(fiber_wait(jobs[0].ends[OURS], POLLIN, clock_monotonic_ms() + 1));
	send_to(&jobs[0], 'p');
	assert_true(fiber_wait(jobs[0].ends[OURS], POLLIN, CLOCK_NEVER));
	const int64_t begun_ms = clock_monotonic_ms();
	fiber_pause(SOON_MS);
	assert_true(clock_monotonic_ms() - begun_ms >= SOON_MS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_it_continues_when_its_descriptor_is_ready, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_others_run_while_one_waits, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_its_time_ends, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_a_fiber_is_used_again, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_a_kept_descriptor, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_a_forgotten_number_is_watched_again, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_each_has_its_own_work_for_the_log, open_jobs, close_jobs),
		cmocka_unit_test_setup_teardown(test_outside_of_fibers_it_is_poll, open_jobs, close_jobs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
