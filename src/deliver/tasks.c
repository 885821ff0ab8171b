/* SPDX-License-Identifier: MIT */
#include "deliver/tasks.h"

#include <stdlib.h>

#include "base/panic.h"
#include "base/pool.h"
#include "os/event_loop.h"
#include "os/log.h"
#include "os/random.h"

enum { FIRST_MS = 100, DOUBLINGS = 10, MAX_MS = 5 * 1000 };

struct tasks {
	struct event_loop *loop;
	struct runner *runner;
	const struct task *table;
	size_t count;
	void *context;
	const struct task *under_way; /* or NULL */
	int64_t begun_ms;             /* when it was started */
	size_t last;                  /* the last one begun; of tasks with equal times, the next one after it begins */
	int64_t least_ms;             /* time of the last task when it began; a task that was not due saves up no time */
	int64_t had_ms[TASKS_MAX];    /* the time that a task has had */
	struct back_off back_offs[TASKS_MAX];
};

/* Adds jitter so that several dispatchers do not retry at the same moment. */
void
back_off(struct back_off *b, const char *step, enum result result)
{
	int64_t wait = (int64_t)FIRST_MS << (b->failures < DOUBLINGS ? b->failures : DOUBLINGS);
	if (wait > MAX_MS)
		wait = MAX_MS;
	wait = wait / 2 + (int64_t)random_below((uint64_t)wait / 2 + 1);
	b->until_ms = clock_monotonic_ms() + wait;
	b->failures++;
	log_warning("database", LOG_STR("step", step), LOG_STR("result", result_text(result)), LOG_INT("retry_in_ms", wait));
}

static int64_t
task_when(const struct tasks *tasks, size_t i)
{
	const int64_t when = tasks->table[i].when(tasks->context);
	return when > tasks->back_offs[i].until_ms ? when : tasks->back_offs[i].until_ms;
}

int64_t
tasks_when(const struct tasks *tasks)
{
	int64_t first = CLOCK_NEVER;
	for (size_t i = 0; tasks->under_way == NULL && i < tasks->count; i++) {
		const int64_t when = task_when(tasks, i);
		first = when < first ? when : first;
	}
	return first;
}

static int64_t
task_had_ms(const struct tasks *tasks, size_t i)
{
	return tasks->had_ms[i] > tasks->least_ms ? tasks->had_ms[i] : tasks->least_ms;
}

/* The due task that has had the least time; `count` if none is due. */
static size_t
next_task(const struct tasks *tasks, int64_t now_ms)
{
	size_t next = tasks->count;
	for (size_t i = 1; i <= tasks->count; i++) {
		const size_t at = (tasks->last + i) % tasks->count;
		if (task_when(tasks, at) <= now_ms &&
		    (next == tasks->count || task_had_ms(tasks, at) < task_had_ms(tasks, next)))
			next = at;
	}
	return next;
}

void
tasks_begin(struct tasks *tasks)
{
	const int64_t now = clock_monotonic_ms();
	const size_t next = tasks->under_way == NULL ? next_task(tasks, now) : tasks->count;
	if (next == tasks->count)
		return;
	const struct task *task = &tasks->table[next];
	tasks->under_way = task;
	tasks->begun_ms = now;
	tasks->last = next;
	tasks->least_ms = tasks->had_ms[next] = task_had_ms(tasks, next);
	if (task->begin != NULL)
		task->begin(tasks->context);
	runner_start(tasks->runner, task->work, tasks->context);
}

/* An event_handler: the task under way has ended. */
static void
collect(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct tasks *tasks = context;
	enum result result = RESULT_OK;
	const struct task *task = tasks->under_way;
	if (!runner_take(tasks->runner, &result))
		return;
	const int64_t took_ms = tasks_busy_ms(tasks);
	tasks->had_ms[task - tasks->table] += took_ms > 0 ? took_ms : 1;
	tasks->under_way = NULL;
	if (result == RESULT_OK)
		tasks->back_offs[task - tasks->table] = (struct back_off){ 0 };
	else
		back_off(&tasks->back_offs[task - tasks->table], task->name, result);
	task->done(tasks->context, result);
	event_loop_return(tasks->loop);
}

bool
tasks_are_busy(const struct tasks *tasks)
{
	return tasks->under_way != NULL;
}

int64_t
tasks_busy_ms(const struct tasks *tasks)
{
	return tasks->under_way == NULL ? 0 : clock_monotonic_ms() - tasks->begun_ms;
}

struct tasks *
tasks_new(struct event_loop *loop, struct store *store, const struct task *table, size_t count, void *context)
{
	require(count <= TASKS_MAX);
	struct tasks *tasks = memory_alloc(sizeof(*tasks));
	tasks->loop = loop;
	tasks->table = table;
	tasks->count = count;
	tasks->context = context;
	tasks->last = count - 1;
	tasks->runner = runner_new(store);
	if (tasks->runner != NULL)
		event_loop_watch_input(loop, runner_fd(tasks->runner), collect, tasks);
	else
		tasks_free(&tasks);
	return tasks;
}

void
tasks_free(struct tasks **tasks)
{
	if (*tasks == NULL)
		return;
	if ((*tasks)->runner != NULL)
		event_loop_forget((*tasks)->loop, runner_fd((*tasks)->runner));
	runner_free(&(*tasks)->runner);
	free(*tasks);
	*tasks = NULL;
}
