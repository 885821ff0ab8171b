/* SPDX-License-Identifier: MIT
 * A thread's tasks: rotation and back-off (docs/deliveries.md 6.1). The test replaces the runner and the clock. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "deliver/tasks.h"
#include "os/event_loop.h"
#include "os/log.h"

static int64_t now_ms;
int64_t __wrap_clock_monotonic_ms(void);

int64_t
__wrap_clock_monotonic_ms(void)
{
	return now_ms;
}

/* ---- a runner whose work ends when the test decides ---- */

struct runner {
	struct store *store;
	runner_work *work;
	void *context;
	bool done;
	enum result result;
};

static struct runner *the_runner;

struct runner *
runner_new(struct store *store)
{
	the_runner = memory_alloc(sizeof(*the_runner));
	the_runner->store = store;
	return the_runner;
}

void
runner_free(struct runner **runner)
{
	free(*runner);
	*runner = NULL;
}

void
runner_start(struct runner *runner, runner_work *work, void *context)
{
	assert_null(runner->work);
	runner->work = work;
	runner->context = context;
}

bool
runner_take(struct runner *runner, enum result *result)
{
	if (!runner->done)
		return false;
	runner->work = NULL;
	runner->done = false;
	*result = runner->result;
	return true;
}

enum { THREAD_FD = 7 };

int
runner_fd(const struct runner *runner UNUSED)
{
	return THREAD_FD;
}

/* ---- a loop that calls the handler when the test decides ---- */

static struct {
	event_handler *handler;
	void *context;
} watch;

void
event_loop_watch_input(struct event_loop *loop UNUSED, int fd, event_handler *handler, void *context)
{
	assert_int_equal(fd, THREAD_FD);
	watch.handler = handler;
	watch.context = context;
}

void
event_loop_forget(struct event_loop *loop UNUSED, int fd)
{
	assert_int_equal(fd, THREAD_FD);
}

void
event_loop_return(struct event_loop *loop UNUSED)
{
}

static void
collect(void)
{
	watch.handler(watch.context, THREAD_FD, EPOLLIN);
}

/* ---- three tasks ---- */

enum { FIRST, SECOND, THIRD, COUNT };
static struct {
	int64_t when_ms[COUNT], lasts_ms[COUNT];
	size_t begun, worked[COUNT], done[COUNT];
	enum result last;
} work;

#define TASK(name, number)                                              \
	static int64_t when_##name(const void *owner)                   \
	{                                                               \
		assert_ptr_equal(owner, &work);                         \
		return work.when_ms[number];                            \
	}                                                               \
	static enum result run_##name(struct store *store, void *owner) \
	{                                                               \
		assert_ptr_equal(store, &now_ms);                       \
		assert_ptr_equal(owner, &work);                         \
		work.worked[number]++;                                  \
		now_ms += work.lasts_ms[number];                        \
		return RESULT_OK;                                       \
	}                                                               \
	static void end_##name(void *owner UNUSED, enum result result)  \
	{                                                               \
		work.done[number]++;                                    \
		work.last = result;                                     \
	}

TASK(first, FIRST)
TASK(second, SECOND)
TASK(third, THIRD)

static void
begin_first(void *owner UNUSED)
{
	assert_int_equal(work.begun++, work.worked[FIRST]);
}

static const struct task table[COUNT] = {
	{ "first", when_first, begin_first, run_first, end_first },
	{ "second", when_second, NULL, run_second, end_second },
	{ "third", when_third, NULL, run_third, end_third },
};
static struct tasks *tasks;

static int
open_tasks(void **state UNUSED)
{
	now_ms = 1000;
	memset(&work, 0, sizeof(work));
	tasks = tasks_new(NULL, (struct store *)&now_ms, table, COUNT, &work);
	return tasks == NULL ? -1 : 0;
}

static int
close_tasks(void **state UNUSED)
{
	tasks_free(&tasks);
	assert_null(tasks);
	return 0;
}

/* Runs the task that begins now, with this result. Returns the task; COUNT: none begins. */
static size_t
run_next(enum result result)
{
	size_t number = COUNT;
	tasks_begin(tasks);
	if (!tasks_are_busy(tasks))
		return COUNT;
	for (size_t i = 0; i < COUNT; i++)
		number = the_runner->work == table[i].work ? i : number;
	assert_int_equal(the_runner->work(the_runner->store, the_runner->context), RESULT_OK);
	the_runner->result = result;
	the_runner->done = true;
	collect();
	assert_int_equal(work.last, result);
	assert_false(tasks_are_busy(tasks));
	return number;
}

static void
due_tasks_take_turns(void **state UNUSED)
{
	for (size_t i = 0; i < 3 * COUNT; i++)
		assert_int_equal(run_next(RESULT_OK), i % COUNT);
	assert_int_equal(work.begun, 3);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(work.worked[i], 3);
		assert_int_equal(work.done[i], 3);
	}
	work.when_ms[FIRST] = CLOCK_NEVER;
	assert_int_equal(run_next(RESULT_OK), SECOND);
	assert_int_equal(run_next(RESULT_OK), THIRD);
	assert_int_equal(run_next(RESULT_OK), SECOND);
}

/* docs/architecture.md 8: a task with long turns leaves as much time to a task with short turns as it takes itself. */
static void
due_tasks_have_equal_shares_of_time(void **state UNUSED)
{
	work.lasts_ms[FIRST] = 200;
	work.lasts_ms[SECOND] = 20;
	work.when_ms[THIRD] = CLOCK_NEVER;
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(run_next(RESULT_OK), FIRST);
		for (size_t n = 0; n < 10; n++)
			assert_int_equal(run_next(RESULT_OK), SECOND);
	}
	/* however short the turns of a third task are */
	work.when_ms[THIRD] = 0;
	for (size_t i = 0; i < 1000; i++)
		assert_in_range(run_next(RESULT_OK), FIRST, THIRD);
	assert_in_range(work.worked[FIRST], 9, 10);
	assert_in_range(work.worked[SECOND], 95, 100);
}

/* A task that had nothing to do for hours takes no more than its share afterwards. */
static void
no_time_is_saved_up(void **state UNUSED)
{
	work.lasts_ms[FIRST] = work.lasts_ms[SECOND] = 200;
	work.when_ms[SECOND] = work.when_ms[THIRD] = CLOCK_NEVER;
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(run_next(RESULT_OK), FIRST);
	work.when_ms[SECOND] = 0;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(run_next(RESULT_OK), SECOND);
		assert_int_equal(run_next(RESULT_OK), FIRST);
	}
}

static void
one_task_runs_at_a_time(void **state UNUSED)
{
	tasks_begin(tasks);
	assert_true(tasks_are_busy(tasks));
	assert_true(tasks_when(tasks) == CLOCK_NEVER);
	tasks_begin(tasks); /* the runner would notice a second task */
	collect();
	assert_int_equal(work.done[FIRST], 0);
	the_runner->done = true;
	collect();
	assert_int_equal(work.done[FIRST], 1);
	collect();
	assert_int_equal(work.done[FIRST], 1);
}

static void
a_task_begins_when_it_is_due(void **state UNUSED)
{
	work.when_ms[FIRST] = 1500;
	work.when_ms[SECOND] = 1200;
	work.when_ms[THIRD] = CLOCK_NEVER;
	assert_int_equal(tasks_when(tasks), 1200);
	assert_int_equal(run_next(RESULT_OK), COUNT);
	now_ms = 1200;
	assert_int_equal(run_next(RESULT_OK), SECOND);
	work.when_ms[SECOND] = CLOCK_NEVER;
	assert_int_equal(tasks_when(tasks), 1500);
	now_ms = 1500;
	assert_int_equal(run_next(RESULT_OK), FIRST);
	work.when_ms[FIRST] = CLOCK_NEVER;
	assert_true(tasks_when(tasks) == CLOCK_NEVER);
}

/* A failure delays only that task, longer each time, until it succeeds. */
static void
each_task_has_its_own_back_off(void **state UNUSED)
{
	int64_t longest_ms = 0;
	work.when_ms[THIRD] = CLOCK_NEVER;
	assert_int_equal(run_next(RESULT_UNAVAILABLE), FIRST);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(run_next(RESULT_OK), SECOND);
	work.when_ms[SECOND] = CLOCK_NEVER;
	for (size_t failures = 1; failures < 12; failures++) {
		const int64_t wait_ms = tasks_when(tasks) - now_ms;
		const int64_t most_ms = failures < 7 ? INT64_C(100) << (failures - 1) : 5000;
		assert_in_range(wait_ms, most_ms / 2 - 1, most_ms < 5000 ? most_ms : 5000);
		longest_ms = wait_ms > longest_ms ? wait_ms : longest_ms;
		assert_int_equal(run_next(RESULT_OK), COUNT);
		now_ms += wait_ms - 1;
		assert_int_equal(run_next(RESULT_OK), COUNT);
		now_ms++;
		assert_int_equal(run_next(RESULT_CONFLICT), FIRST);
	}
	assert_in_range(longest_ms, 2500, 5000);
	now_ms = tasks_when(tasks);
	assert_int_equal(run_next(RESULT_OK), FIRST);
	assert_int_equal(run_next(RESULT_OK), FIRST);
	assert_int_equal(run_next(RESULT_UNKNOWN), FIRST);
	assert_in_range(tasks_when(tasks) - now_ms, 49, 100);
}

/* leadhook-dispatch(8), SERVICE MANAGER: this time shows that a thread hangs. */
static void
the_time_of_a_task_is_shown(void **state UNUSED)
{
	assert_int_equal(tasks_busy_ms(tasks), 0);
	tasks_begin(tasks);
	now_ms += 5000;
	assert_int_equal(tasks_busy_ms(tasks), 5000);
	the_runner->done = true;
	collect();
	assert_int_equal(tasks_busy_ms(tasks), 0);
	tasks_begin(tasks);
	assert_int_equal(tasks_busy_ms(tasks), 0);
	the_runner->done = true;
	collect();
}

int
main(void)
{
#define TASKS_TEST(name) cmocka_unit_test_setup_teardown(name, open_tasks, close_tasks)
	const struct CMUnitTest tests[] = {
		TASKS_TEST(due_tasks_take_turns),
		TASKS_TEST(due_tasks_have_equal_shares_of_time),
		TASKS_TEST(no_time_is_saved_up),
		TASKS_TEST(one_task_runs_at_a_time),
		TASKS_TEST(a_task_begins_when_it_is_due),
		TASKS_TEST(each_task_has_its_own_back_off),
		TASKS_TEST(the_time_of_a_task_is_shown),
	};
	log_init("test", LOG_LEVEL_ERROR);
	return cmocka_run_group_tests_name("deliver/tasks", tests, NULL, NULL);
}
