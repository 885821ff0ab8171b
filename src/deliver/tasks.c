/* SPDX-License-Identifier: MIT */
#include "deliver/tasks.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/panic.h"
#include "base/pool.h"
#include "base/random.h"

enum { FIRST_MS = 100, DOUBLINGS = 10, MAX_MS = 5 * 1000 };

struct tasks {
	struct runner *runner;
	const struct task *table;
	size_t count;
	void *context;
	const struct task *under_way; /* or NULL */
	int64_t begun_ms;             /* when it was started */
	size_t last;                  /* the next one in the rotation is tried first */
	struct back_off pauses[TASKS_MAX];
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

struct tasks *
tasks_new(struct store *store, const struct task *table, size_t count, void *context)
{
	require(count <= TASKS_MAX);
	struct tasks *tasks = memory_alloc(sizeof(*tasks));
	tasks->table = table;
	tasks->count = count;
	tasks->context = context;
	tasks->last = count - 1;
	tasks->runner = runner_new(store);
	if (tasks->runner == NULL)
		tasks_free(&tasks);
	return tasks;
}

void
tasks_free(struct tasks **tasks)
{
	if (*tasks == NULL)
		return;
	runner_free(&(*tasks)->runner);
	free(*tasks);
	*tasks = NULL;
}

static int64_t
task_when(const struct tasks *tasks, size_t i)
{
	const int64_t when = tasks->table[i].when(tasks->context);
	return when > tasks->pauses[i].until_ms ? when : tasks->pauses[i].until_ms;
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

void
tasks_begin(struct tasks *tasks)
{
	const int64_t now = clock_monotonic_ms();
	for (size_t i = 1; tasks->under_way == NULL && i <= tasks->count; i++) {
		const size_t at = (tasks->last + i) % tasks->count;
		const struct task *task = &tasks->table[at];
		if (task_when(tasks, at) > now)
			continue;
		tasks->under_way = task;
		tasks->begun_ms = now;
		tasks->last = at;
		if (task->begin != NULL)
			task->begin(tasks->context);
		runner_start(tasks->runner, task->work, tasks->context);
	}
}

void
tasks_collect(struct tasks *tasks)
{
	enum result result = RESULT_OK;
	const struct task *task = tasks->under_way;
	if (!runner_take(tasks->runner, &result))
		return;
	tasks->under_way = NULL;
	if (result == RESULT_OK)
		tasks->pauses[task - tasks->table] = (struct back_off){ 0 };
	else
		back_off(&tasks->pauses[task - tasks->table], task->name, result);
	task->done(tasks->context, result);
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

int
tasks_fd(const struct tasks *tasks)
{
	return runner_fd(tasks->runner);
}
