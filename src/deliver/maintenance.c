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
	struct maintenance *m = memory_alloc(sizeof(*m));
	m->owner = pthread_self();
	m->webhooks_max = webhooks_max;
	m->deactivations = memory_alloc(webhooks_max * sizeof(*m->deactivations));
	m->webhooks = memory_alloc(webhooks_max * sizeof(*m->webhooks));
	m->under_way = m->last = TASKS;
	m->crashes = crashes;
	m->runner = runner_new(store);
	if (m->runner == NULL)
		maintenance_free(&m);
	return m;
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
maintenance_set_ended_webhooks(struct maintenance *m, const uint64_t *webhook_ids, size_t count)
{
	require(pthread_equal(m->owner, pthread_self()));
	m->webhook_count = count < m->webhooks_max ? count : m->webhooks_max;
	for (size_t i = 0; i < m->webhook_count; i++)
		m->webhooks[i] = webhook_ids[i];
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
maintenance_deactivate_webhook(struct maintenance *m, uint64_t webhook_id, enum webhook_state state)
{
	require(pthread_equal(m->owner, pthread_self()));
	require(state == WEBHOOK_GONE || state == WEBHOOK_DISABLED);
	struct deactivation *queued = find_deactivation(m->deactivations, m->deactivation_count, webhook_id);
	if (m->under_way == TASK_DEACTIVATE && covers(find_deactivation(m->work.round, m->work.round_count, webhook_id), state))
		return;
	if (queued == NULL && m->deactivation_count < m->webhooks_max)
		m->deactivations[m->deactivation_count++] = (struct deactivation){ webhook_id, state };
	else if (queued != NULL && !covers(queued, state))
		queued->state = state;
}

void
maintenance_bulk_work(struct maintenance *m, bool queued)
{
	require(pthread_equal(m->owner, pthread_self()));
	m->bulk_queued = queued;
}

/* ---- tasks: work in the thread, then handling of its result ---- */

/* Waits for at most one campaign's lock. Webhooks that were not deactivated are queued again. */
static enum result
deactivate_round(struct store *store, void *context)
{
	struct maintenance *m = context;
	enum result first = RESULT_OK, result = RESULT_OK;
	memset(m->work.deactivated, 0, sizeof(m->work.deactivated));
	for (size_t i = 0; i < m->work.round_count && result != RESULT_UNAVAILABLE && result != RESULT_UNKNOWN; i++) {
		const struct deactivation *request = &m->work.round[i];
		result = store_deactivate_webhook(store, request->webhook_id, request->state, first == RESULT_OK);
		m->work.deactivated[i] = result == RESULT_OK;
		first = first == RESULT_OK ? result : first;
	}
	return first;
}

static bool
deactivated_round(struct maintenance *m)
{
	bool any = false;
	size_t waited = m->work.round_count;
	for (size_t i = 0; i < m->work.round_count; i++) {
		const struct deactivation *request = &m->work.round[i];
		any = any || m->work.deactivated[i];
		if (m->work.deactivated[i])
			continue;
		if (waited == m->work.round_count)
			waited = i;
		else
			maintenance_deactivate_webhook(m, request->webhook_id, request->state);
	}
	if (waited < m->work.round_count) /* queued last, so that the next round waits for another campaign */
		maintenance_deactivate_webhook(m, m->work.round[waited].webhook_id, m->work.round[waited].state);
	return any; /* the next poll finds the remaining deliveries */
}

static enum result
fail_some_pending(struct store *store, void *context)
{
	struct maintenance *m = context;
	return store_fail_pending(store, m->work.webhook_id, END_CHUNK, &m->work.ended);
}

static bool
failed_some_pending(struct maintenance *m)
{
	if (m->work.ended > 0) {
		log_debug("pending_ended", LOG_UINT("webhook", m->work.webhook_id), LOG_UINT("deliveries", m->work.ended));
		return true;
	}
	for (size_t i = 0; i < m->webhook_count; i++)
		if (m->webhooks[i] == m->work.webhook_id)
			m->webhooks[i--] = m->webhooks[--m->webhook_count];
	return false;
}

static enum result
clean_up(struct store *store, void *context)
{
	const struct maintenance *m = context;
	return store_clean_up(store, m->work.maintains_days);
}

static bool
cleaned_up(struct maintenance *m)
{
	m->next_maintenance_ms = clock_monotonic_ms() + MAINTENANCE_MS;
	return false;
}

static enum result
do_bulk(struct store *store, void *context)
{
	struct maintenance *m = context;
	struct pool *pool = pool_new();
	enum result result = bulk_run_chunk(store, pool, m->crashes, &m->work.bulk_left);
	pool_free(&pool);
	return result;
}

static bool
did_bulk(struct maintenance *m)
{
	m->bulk_queued = m->work.bulk_left;
	return true; /* webhooks may have new deliveries */
}

static const struct {
	const char *name;
	runner_work *work;
	bool (*done)(struct maintenance *);
} tasks[TASKS] = {
	[TASK_DEACTIVATE] = { "deactivate_webhook", deactivate_round, deactivated_round },
	[TASK_FAIL_PENDING] = { "fail_pending", fail_some_pending, failed_some_pending },
	[TASK_CLEAN_UP] = { "clean_up", clean_up, cleaned_up },
	[TASK_BULK] = { "bulk", do_bulk, did_bulk },
};

/* ---- scheduling of the tasks ---- */

static int64_t
task_when(const struct maintenance *m, enum task task)
{
	const bool wanted[TASKS] = { [TASK_DEACTIVATE] = m->deactivation_count > 0,
		[TASK_FAIL_PENDING] = m->webhook_count > 0,
		[TASK_CLEAN_UP] = true,
		[TASK_BULK] = m->bulk_queued };
	const int64_t when = task == TASK_CLEAN_UP ? m->next_maintenance_ms : 0;
	if (!wanted[task])
		return CLOCK_NEVER;
	return when > m->away[task].until_ms ? when : m->away[task].until_ms;
}

int64_t
maintenance_when(const struct maintenance *m)
{
	int64_t first = CLOCK_NEVER;
	if (m->under_way != TASKS)
		return CLOCK_NEVER;
	for (enum task task = 0; task < TASKS; task++) {
		const int64_t when = task_when(m, task);
		first = when < first ? when : first;
	}
	return first;
}

/* Webhooks are served in the order of their ids, so that one that fails does not block the others. */
static uint64_t
next_webhook(const struct maintenance *m)
{
	uint64_t first = UINT64_MAX, next = UINT64_MAX;
	for (size_t i = 0; i < m->webhook_count; i++) {
		const uint64_t id = m->webhooks[i];
		first = id < first ? id : first;
		if (id > m->work.webhook_id)
			next = id < next ? id : next;
	}
	return next != UINT64_MAX ? next : first;
}

static void
take_round(struct maintenance *m)
{
	m->work.round_count = m->deactivation_count < DEACTIVATION_ROUND ? m->deactivation_count : DEACTIVATION_ROUND;
	m->deactivation_count -= m->work.round_count;
	memcpy(m->work.round, m->deactivations, m->work.round_count * sizeof(*m->deactivations));
	memmove(m->deactivations, m->deactivations + m->work.round_count, m->deactivation_count * sizeof(*m->deactivations));
}

void
maintenance_begin(struct maintenance *m, bool maintains_days)
{
	require(m->under_way == TASKS);
	const int64_t now = clock_monotonic_ms();
	for (unsigned i = 1; i <= TASKS; i++) {
		const enum task task = ((unsigned)m->last + i) % TASKS;
		if (task_when(m, task) > now)
			continue;
		m->under_way = m->last = task;
		if (task == TASK_DEACTIVATE)
			take_round(m);
		if (task == TASK_FAIL_PENDING)
			m->work.webhook_id = next_webhook(m);
		m->work.maintains_days = maintains_days;
		runner_start(m->runner, tasks[task].work, m);
		return;
	}
}

bool
maintenance_collect(struct maintenance *m)
{
	enum result result = RESULT_OK;
	const enum task task = m->under_way;
	if (!runner_take(m->runner, &result))
		return false;
	m->under_way = TASKS;
	if (result != RESULT_OK) {
		back_off(&m->away[task], tasks[task].name, result);
		return task == TASK_DEACTIVATE && deactivated_round(m);
	}
	m->away[task] = (struct back_off){ 0 };
	return tasks[task].done(m);
}

bool
maintenance_has_work(const struct maintenance *m)
{
	return m->deactivation_count > 0 || m->webhook_count > 0 || m->bulk_queued || m->under_way != TASKS;
}

bool
maintenance_is_busy(const struct maintenance *m)
{
	return m->under_way != TASKS;
}

int
maintenance_fd(const struct maintenance *m)
{
	return runner_fd(m->runner);
}
