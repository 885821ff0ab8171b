/* SPDX-License-Identifier: MIT */
#include "deliver/maintenance.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/panic.h"
#include "base/pool.h"
#include "deliver/back_off.h"
#include "deliver/bulk.h"
#include "store/queue/dispatch.h"

enum {
	DEACTIVATION_ROUND = 64, /* webhooks that are deactivated in a round, each in its own transaction */
	END_CHUNK = 500,         /* deliveries that are ended in one transaction */
	MAINTENANCE_MS = 10 * 1000
};

enum task { TASK_DEACTIVATE, TASK_FAIL_PENDING, TASK_CLEAN_UP, TASK_BULK, TASKS };

struct deactivation {
	uint64_t webhook_id;
	enum webhook_state state;
};

struct maintenance {
	pthread_t owner; /* the only thread that calls these functions */
	struct runner *runner;
	const struct crashes *crashes;
	enum task under_way; /* TASKS: none */
	enum task last;      /* the next one in the rotation is tried first */
	struct back_off away[TASKS];

	size_t webhooks_max;
	struct deactivation *deactivations; /* oldest first, one per webhook */
	size_t deactivation_count;
	uint64_t *webhooks; /* whose deliveries are to be ended */
	size_t webhook_count;
	int64_t next_maintenance_ms;
	bool bulk_queued;

	/* arguments and results of the thread */
	struct {
		struct deactivation round[DEACTIVATION_ROUND];
		size_t round_count;
		bool deactivated[DEACTIVATION_ROUND];
		uint64_t webhook_id;
		size_t ended;
		bool maintains_days, bulk_left;
	} work;
};

struct maintenance *
maintenance_new(struct store *store, const struct crashes *crashes, size_t webhooks_max)
{
	struct maintenance *c = memory_alloc(sizeof(*c));
	c->owner = pthread_self();
	c->webhooks_max = webhooks_max;
	c->deactivations = memory_alloc(webhooks_max * sizeof(*c->deactivations));
	c->webhooks = memory_alloc(webhooks_max * sizeof(*c->webhooks));
	c->under_way = c->last = TASKS;
	c->crashes = crashes;
	c->runner = runner_new(store);
	if (c->runner == NULL)
		maintenance_free(&c);
	return c;
}

void
maintenance_free(struct maintenance **maintenance)
{
	if (*maintenance == NULL)
		return;
	runner_free(&(*maintenance)->runner);
	free((*maintenance)->deactivations);
	free((*maintenance)->webhooks);
	free(*maintenance);
	*maintenance = NULL;
}

void
maintenance_end_webhooks(struct maintenance *c, const uint64_t *webhook_ids, size_t count)
{
	require(pthread_equal(c->owner, pthread_self()));
	c->webhook_count = count < c->webhooks_max ? count : c->webhooks_max;
	for (size_t i = 0; i < c->webhook_count; i++)
		c->webhooks[i] = webhook_ids[i];
}

/* Returns NULL when the webhook is not listed. */
static struct deactivation *
find_deactivation(struct deactivation *deactivations, size_t count, uint64_t webhook_id)
{
	for (size_t i = 0; i < count; i++)
		if (deactivations[i].webhook_id == webhook_id)
			return &deactivations[i];
	return NULL;
}

/* `gone` takes precedence over `disabled`. */
static bool
covers(const struct deactivation *request, enum webhook_state state)
{
	return request != NULL && (request->state == state || request->state == WEBHOOK_GONE);
}

void
maintenance_deactivate_webhook(struct maintenance *c, uint64_t webhook_id, enum webhook_state state)
{
	require(pthread_equal(c->owner, pthread_self()));
	require(state == WEBHOOK_GONE || state == WEBHOOK_DISABLED);
	struct deactivation *queued = find_deactivation(c->deactivations, c->deactivation_count, webhook_id);
	if (c->under_way == TASK_DEACTIVATE && covers(find_deactivation(c->work.round, c->work.round_count, webhook_id), state))
		return;
	if (queued == NULL && c->deactivation_count < c->webhooks_max)
		c->deactivations[c->deactivation_count++] = (struct deactivation){ webhook_id, state };
	else if (queued != NULL && !covers(queued, state))
		queued->state = state;
}

void
maintenance_bulk_work(struct maintenance *c, bool queued)
{
	require(pthread_equal(c->owner, pthread_self()));
	c->bulk_queued = queued;
}

/* ---- tasks: work in the thread, then handling of its result ---- */

/* Waits for at most one campaign's lock. Webhooks that were not deactivated are queued again. */
static enum result
deactivate_round(struct store *store, void *context)
{
	struct maintenance *c = context;
	enum result first = RESULT_OK, result = RESULT_OK;
	memset(c->work.deactivated, 0, sizeof(c->work.deactivated));
	for (size_t i = 0; i < c->work.round_count && result != RESULT_UNAVAILABLE && result != RESULT_UNKNOWN; i++) {
		const struct deactivation *request = &c->work.round[i];
		result = store_deactivate_webhook(store, request->webhook_id, request->state, first == RESULT_OK);
		c->work.deactivated[i] = result == RESULT_OK;
		first = first == RESULT_OK ? result : first;
	}
	return first;
}

static bool
deactivated_round(struct maintenance *c)
{
	bool any = false;
	size_t waited = c->work.round_count;
	for (size_t i = 0; i < c->work.round_count; i++) {
		const struct deactivation *request = &c->work.round[i];
		any = any || c->work.deactivated[i];
		if (c->work.deactivated[i])
			continue;
		if (waited == c->work.round_count)
			waited = i;
		else
			maintenance_deactivate_webhook(c, request->webhook_id, request->state);
	}
	if (waited < c->work.round_count) /* queued last, so that the next round waits for another campaign */
		maintenance_deactivate_webhook(c, c->work.round[waited].webhook_id, c->work.round[waited].state);
	return any; /* the next poll finds the remaining deliveries */
}

static enum result
end_some(struct store *store, void *context)
{
	struct maintenance *c = context;
	return store_fail_pending(store, c->work.webhook_id, END_CHUNK, &c->work.ended);
}

static bool
ended_some(struct maintenance *c)
{
	if (c->work.ended > 0) {
		log_debug("pending_ended", LOG_UINT("webhook", c->work.webhook_id), LOG_UINT("deliveries", c->work.ended));
		return true;
	}
	for (size_t i = 0; i < c->webhook_count; i++)
		if (c->webhooks[i] == c->work.webhook_id)
			c->webhooks[i--] = c->webhooks[--c->webhook_count];
	return false;
}

static enum result
maintain(struct store *store, void *context)
{
	const struct maintenance *c = context;
	return store_clean_up(store, c->work.maintains_days);
}

static bool
maintained(struct maintenance *c)
{
	c->next_maintenance_ms = clock_monotonic_ms() + MAINTENANCE_MS;
	return false;
}

static enum result
do_bulk(struct store *store, void *context)
{
	struct maintenance *c = context;
	struct pool *pool = pool_new();
	enum result result = bulk_run_chunk(store, pool, c->crashes, &c->work.bulk_left);
	pool_free(&pool);
	return result;
}

static bool
did_bulk(struct maintenance *c)
{
	c->bulk_queued = c->work.bulk_left;
	return true; /* webhooks may have new deliveries */
}

static const struct {
	const char *name;
	runner_work *work;
	bool (*done)(struct maintenance *);
} tasks[TASKS] = {
	[TASK_DEACTIVATE] = { "deactivate_webhook", deactivate_round, deactivated_round },
	[TASK_FAIL_PENDING] = { "end_pending", end_some, ended_some },
	[TASK_CLEAN_UP] = { "maintenance", maintain, maintained },
	[TASK_BULK] = { "bulk", do_bulk, did_bulk },
};

/* ---- scheduling of the tasks ---- */

static int64_t
task_when(const struct maintenance *c, enum task task)
{
	const bool wanted[TASKS] = { [TASK_DEACTIVATE] = c->deactivation_count > 0,
		[TASK_FAIL_PENDING] = c->webhook_count > 0,
		[TASK_CLEAN_UP] = true,
		[TASK_BULK] = c->bulk_queued };
	const int64_t when = task == TASK_CLEAN_UP ? c->next_maintenance_ms : 0;
	if (!wanted[task])
		return CLOCK_NEVER;
	return when > c->away[task].until_ms ? when : c->away[task].until_ms;
}

int64_t
maintenance_when(const struct maintenance *c)
{
	int64_t first = CLOCK_NEVER;
	if (c->under_way != TASKS)
		return CLOCK_NEVER;
	for (enum task task = 0; task < TASKS; task++) {
		const int64_t when = task_when(c, task);
		first = when < first ? when : first;
	}
	return first;
}

/* Webhooks are served in the order of their ids, so that one that fails does not block the others. */
static uint64_t
next_webhook(const struct maintenance *c)
{
	uint64_t first = UINT64_MAX, next = UINT64_MAX;
	for (size_t i = 0; i < c->webhook_count; i++) {
		const uint64_t id = c->webhooks[i];
		first = id < first ? id : first;
		if (id > c->work.webhook_id)
			next = id < next ? id : next;
	}
	return next != UINT64_MAX ? next : first;
}

static void
take_round(struct maintenance *c)
{
	c->work.round_count = c->deactivation_count < DEACTIVATION_ROUND ? c->deactivation_count : DEACTIVATION_ROUND;
	c->deactivation_count -= c->work.round_count;
	memcpy(c->work.round, c->deactivations, c->work.round_count * sizeof(*c->deactivations));
	memmove(c->deactivations, c->deactivations + c->work.round_count, c->deactivation_count * sizeof(*c->deactivations));
}

void
maintenance_begin(struct maintenance *c, bool maintains_days)
{
	require(c->under_way == TASKS);
	const int64_t now = clock_monotonic_ms();
	for (unsigned i = 1; i <= TASKS; i++) {
		const enum task task = ((unsigned)c->last + i) % TASKS;
		if (task_when(c, task) > now)
			continue;
		c->under_way = c->last = task;
		if (task == TASK_DEACTIVATE)
			take_round(c);
		if (task == TASK_FAIL_PENDING)
			c->work.webhook_id = next_webhook(c);
		c->work.maintains_days = maintains_days;
		runner_start(c->runner, tasks[task].work, c);
		return;
	}
}

bool
maintenance_settle(struct maintenance *c)
{
	enum result result = RESULT_OK;
	const enum task task = c->under_way;
	if (!runner_take(c->runner, &result))
		return false;
	c->under_way = TASKS;
	if (result != RESULT_OK) {
		back_off(&c->away[task], tasks[task].name, result);
		return task == TASK_DEACTIVATE && deactivated_round(c);
	}
	c->away[task] = (struct back_off){ 0 };
	return tasks[task].done(c);
}

bool
maintenance_has_work(const struct maintenance *c)
{
	return c->deactivation_count > 0 || c->webhook_count > 0 || c->bulk_queued || c->under_way != TASKS;
}

bool
maintenance_is_busy(const struct maintenance *c)
{
	return c->under_way != TASKS;
}

int
maintenance_fd(const struct maintenance *c)
{
	return runner_fd(c->runner);
}
