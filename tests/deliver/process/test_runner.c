/* SPDX-License-Identifier: MIT
 * Outcomes are recorded and maintenance runs in their own threads (docs/deliveries.md 3, guarantee: a slot is occupied until
 * its outcome is committed). */
#include "unit.h"

#include <poll.h>
#include <semaphore.h>

#include "base/attributes.h"
#include "deliver/process/runner.h"

enum { DEADLINE_MS = 10 * 1000 };

static sem_t begun, may_end;
static size_t recorded;
static enum result answer;

static enum result
record(struct store *store, void *context)
{
	assert_ptr_equal(store, &answer);
	sem_post(&begun);
	sem_wait(&may_end);
	recorded += *(size_t *)context;
	return answer;
}

static struct runner *runner;

static int
open_runner(void **state UNUSED)
{
	recorded = 0;
	answer = RESULT_OK;
	sem_init(&begun, 0, 0);
	sem_init(&may_end, 0, 0);
	runner = runner_new((struct store *)&answer);
	return runner == NULL ? -1 : 0;
}

static int
close_runner(void **state UNUSED)
{
	runner_free(&runner);
	sem_destroy(&begun);
	sem_destroy(&may_end);
	return 0;
}

static bool
has_result(int timeout_ms)
{
	struct pollfd fd = { .fd = runner_fd(runner), .events = POLLIN };
	return poll(&fd, 1, timeout_ms) == 1;
}

static size_t two = 2;

static void
work_runs_in_the_background(void **state UNUSED)
{
	enum result result;
	for (size_t round = 1; round <= 3; round++) {
		runner_start(runner, record, &two);
		sem_wait(&begun);
		assert_false(runner_take(runner, &result));
		assert_false(has_result(0));
		sem_post(&may_end);
		assert_true(has_result(DEADLINE_MS));
		assert_true(runner_take(runner, &result));
		assert_int_equal(result, RESULT_OK);
		assert_int_equal(recorded, 2 * round);
		/* the result is returned only once */
		assert_false(has_result(0));
		assert_false(runner_take(runner, &result));
	}
}

static void
an_error_is_returned(void **state UNUSED)
{
	enum result result;
	answer = RESULT_UNAVAILABLE;
	sem_post(&may_end);
	runner_start(runner, record, &two);
	assert_true(has_result(DEADLINE_MS));
	assert_true(runner_take(runner, &result));
	assert_int_equal(result, RESULT_UNAVAILABLE);
}

/* The context belongs to the thread until the current task is done. */
static void
runner_free_waits_for_the_current_task(void **state UNUSED)
{
	runner_start(runner, record, &two);
	sem_wait(&begun);
	sem_post(&may_end);
	runner_free(&runner);
	assert_null(runner);
	assert_int_equal(recorded, 2);
}

/* A task that was started just before runner_free still runs. */
static void
runner_free_runs_a_started_task(void **state UNUSED)
{
	sem_post(&may_end);
	runner_start(runner, record, &two);
	runner_free(&runner);
	assert_int_equal(recorded, 2);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_runner, close_runner)
	const struct CMUnitTest tests[] = {
		TEST(work_runs_in_the_background),
		TEST(an_error_is_returned),
		TEST(runner_free_waits_for_the_current_task),
		TEST(runner_free_runs_a_started_task),
	};
	return cmocka_run_group_tests_name("deliver/process/runner", tests, NULL, NULL);
}
