/* SPDX-License-Identifier: MIT
 * Outcomes are recorded, and maintenance done, in a thread of their own (docs/deliveries.md 3, guarantee: a slot is kept until
 * its outcome is committed). */
#include "unit.h"

#include <poll.h>
#include <semaphore.h>

#include "base/attributes.h"
#include "deliver/runner.h"

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
is_told(int timeout_ms)
{
	struct pollfd fd = { .fd = runner_fd(runner), .events = POLLIN };
	return poll(&fd, 1, timeout_ms) == 1;
}

static size_t two = 2;

static void
work_is_done_beside_us(void **state UNUSED)
{
	enum result result;
	for (size_t round = 1; round <= 3; round++) {
		runner_start(runner, record, &two);
		sem_wait(&begun);
		assert_false(runner_is_done(runner));
		assert_false(runner_take(runner, &result));
		assert_false(is_told(0));
		sem_post(&may_end);
		assert_true(is_told(DEADLINE_MS));
		assert_true(runner_is_done(runner));
		assert_true(runner_take(runner, &result));
		assert_int_equal(result, RESULT_OK);
		assert_int_equal(recorded, 2 * round);
		/* once */
		assert_false(is_told(0));
		assert_false(runner_take(runner, &result));
	}
}

static void
what_went_wrong_is_told(void **state UNUSED)
{
	enum result result;
	answer = RESULT_UNAVAILABLE;
	sem_post(&may_end);
	runner_start(runner, record, &two);
	assert_true(is_told(DEADLINE_MS));
	assert_true(runner_take(runner, &result));
	assert_int_equal(result, RESULT_UNAVAILABLE);
}

/* What is under way is no longer its caller's to free: the end waits for it. */
static void
the_end_waits_for_what_is_under_way(void **state UNUSED)
{
	runner_start(runner, record, &two);
	sem_wait(&begun);
	sem_post(&may_end);
	runner_free(&runner);
	assert_null(runner);
	assert_int_equal(recorded, 2);
}

/* … and begins what was handed over just before. */
static void
nothing_handed_over_is_forgotten(void **state UNUSED)
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
		TEST(work_is_done_beside_us),
		TEST(what_went_wrong_is_told),
		TEST(the_end_waits_for_what_is_under_way),
		TEST(nothing_handed_over_is_forgotten),
	};
	return cmocka_run_group_tests_name("deliver/runner", tests, NULL, NULL);
}
