/* SPDX-License-Identifier: MIT
 * Outcomes are recorded in a thread of its own (delivery.md 3, guarantee: a slot is kept until its outcome is committed). The
 * store is the test's. */
#include "unit.h"

#include <poll.h>
#include <semaphore.h>

#include "base/attributes.h"
#include "deliver/recorder.h"

enum { DEADLINE_MS = 10 * 1000 };

static sem_t begun, may_end;
static size_t recorded;
static enum result answer;

enum result
store_complete(struct store *store, const struct delivery_outcome *outcomes, size_t count, size_t *stale)
{
	assert_ptr_equal(store, &answer);
	assert_int_equal(outcomes[0].id, 7);
	sem_post(&begun);
	sem_wait(&may_end);
	recorded += count;
	*stale = 3;
	return answer;
}

static struct recorder *recorder;

static int
open_recorder(void **state UNUSED)
{
	recorded = 0;
	answer = RESULT_OK;
	sem_init(&begun, 0, 0);
	sem_init(&may_end, 0, 0);
	recorder = recorder_new((struct store *)&answer);
	return recorder == NULL ? -1 : 0;
}

static int
close_recorder(void **state UNUSED)
{
	recorder_free(&recorder);
	sem_destroy(&begun);
	sem_destroy(&may_end);
	return 0;
}

static bool
is_told(int timeout_ms)
{
	struct pollfd fd = { .fd = recorder_fd(recorder), .events = POLLIN };
	return poll(&fd, 1, timeout_ms) == 1;
}

static const struct delivery_outcome outcomes[2] = { { .id = 7 }, { .id = 8 } };

static void
a_batch_is_recorded_beside_us(void **state UNUSED)
{
	enum result result;
	size_t stale;
	for (size_t round = 1; round <= 3; round++) {
		recorder_start(recorder, outcomes, 2);
		sem_wait(&begun);
		assert_false(recorder_is_done(recorder));
		assert_false(recorder_take(recorder, &result, &stale));
		assert_false(is_told(0));
		sem_post(&may_end);
		assert_true(is_told(DEADLINE_MS));
		assert_true(recorder_is_done(recorder));
		assert_true(recorder_take(recorder, &result, &stale));
		assert_int_equal(result, RESULT_OK);
		assert_int_equal(stale, 3);
		assert_int_equal(recorded, 2 * round);
		/* once */
		assert_false(is_told(0));
		assert_false(recorder_take(recorder, &result, &stale));
	}
}

static void
what_went_wrong_is_told(void **state UNUSED)
{
	enum result result;
	size_t stale;
	answer = RESULT_UNAVAILABLE;
	sem_post(&may_end);
	recorder_start(recorder, outcomes, 1);
	assert_true(is_told(DEADLINE_MS));
	assert_true(recorder_take(recorder, &result, &stale));
	assert_int_equal(result, RESULT_UNAVAILABLE);
}

/* What is under way is no longer its caller's to free: the end waits for it. */
static void
the_end_waits_for_what_is_under_way(void **state UNUSED)
{
	recorder_start(recorder, outcomes, 2);
	sem_wait(&begun);
	sem_post(&may_end);
	recorder_free(&recorder);
	assert_null(recorder);
	assert_int_equal(recorded, 2);
}

/* … and begins what was handed over just before. */
static void
nothing_handed_over_is_forgotten(void **state UNUSED)
{
	sem_post(&may_end);
	recorder_start(recorder, outcomes, 2);
	recorder_free(&recorder);
	assert_int_equal(recorded, 2);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_recorder, close_recorder)
	const struct CMUnitTest tests[] = {
		TEST(a_batch_is_recorded_beside_us),
		TEST(what_went_wrong_is_told),
		TEST(the_end_waits_for_what_is_under_way),
		TEST(nothing_handed_over_is_forgotten),
	};
	return cmocka_run_group_tests_name("deliver/recorder", tests, NULL, NULL);
}
