/* SPDX-License-Identifier: MIT */
#include "deliver/maintenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/panic.h"
#include "base/pool.h"
#include "deliver/bulk_chunk.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "store/queue/clean_up.h"
#include "store/queue/due_deliveries.h"
#include "store/queue/lead_counts.h"
#include "store/queue/outcomes.h"
#include "store/removal/resume.h"

enum {
	DEACTIVATION_ROUND = 64, /* webhooks that are deactivated in a round, each in its own transaction */
	END_CHUNK = 500,         /* deliveries that are ended in one transaction */
	MAINTENANCE_MS = 10 * 1000,
	STATISTICS_MS = 5 * MINUTE_MS
};

/* The dispatcher that leases this shard does the work that must be done once. */
#define FIRST_SHARD UINT64_C(1)

struct deactivation {
	uint64_t webhook_id;
	enum webhook_state state;
	bool done;
};

struct maintenance {
	struct tasks *tasks;
	const struct crashes *crashes;
	const struct slots *slots;
	bool holder, ending;
	bool progress; /* for maintenance_take_progress */

	size_t webhooks_max;
	struct deactivation *deactivations; /* oldest first; one per webhook, or two if one of them is in the round */
	size_t deactivation_count;
	size_t round;       /* how many of the first ones the thread is working on */
	uint64_t *webhooks; /* webhooks whose deliveries are to be ended */
	size_t webhook_count;
	int64_t next_maintenance_ms, next_statistics_ms, next_removal_ms, next_sources_ms;
	bool polls_are_slow;
	bool bulk_queued;

	/* arguments and results of the thread */
	struct {
		uint64_t webhook_id;
		struct pool *pool; /* memory of `under_way` */
		struct id_set under_way;
		size_t ended;
		bool bulk_left;
		struct resumed_removals removals;
		bool removals_left;
		struct source_pass sources;
		bool sources_left;
	} work;
};

void
maintenance_note_poll(struct maintenance *m, const struct due_webhooks *found)
{
	m->bulk_queued = found->bulk_work;
}

void
maintenance_note_full_poll(struct maintenance *m, const struct due_webhooks *found)
{
	m->webhook_count = found->ended_count < m->webhooks_max ? found->ended_count : m->webhooks_max;
	memcpy(m->webhooks, found->ended, m->webhook_count * sizeof(*m->webhooks));
}

void
maintenance_note_slow_polls(struct maintenance *m)
{
	m->polls_are_slow = true;
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
	require(state == WEBHOOK_GONE || state == WEBHOOK_DISABLED);
	struct deactivation *queued =
	    find_deactivation(m->deactivations + m->round, m->deactivation_count - m->round, webhook_id);
	if (covers(find_deactivation(m->deactivations, m->round, webhook_id), state))
		return;
	if (queued == NULL && m->deactivation_count < m->webhooks_max)
		m->deactivations[m->deactivation_count++] = (struct deactivation){ webhook_id, state, false };
	else if (queued != NULL && !covers(queued, state))
		queued->state = state;
}

void
maintenance_set_shards(struct maintenance *m, uint64_t shards)
{
	m->holder = (shards & FIRST_SHARD) != 0;
}

void
maintenance_end(struct maintenance *m)
{
	m->ending = true;
}

/* ---- task: deactivate webhooks ---- */

static int64_t
when_deactivate(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || m->deactivation_count == 0 ? CLOCK_NEVER : 0;
}

static void
take_round(void *context)
{
	struct maintenance *m = context;
	m->round = m->deactivation_count < DEACTIVATION_ROUND ? m->deactivation_count : DEACTIVATION_ROUND;
}

/* Waits for the lock of at most one campaign. */
static enum result
deactivate_round(struct store *store, void *context)
{
	struct maintenance *m = context;
	enum result first = RESULT_OK, result = RESULT_OK;
	for (size_t i = 0; i < m->round && result != RESULT_UNAVAILABLE && result != RESULT_UNKNOWN; i++) {
		struct deactivation *request = &m->deactivations[i];
		result = store_deactivate_webhook(
		    store, request->webhook_id, request->state, first == RESULT_OK ? LOCK_SOON : LOCK_IF_FREE);
		request->done = result == RESULT_OK;
		first = first == RESULT_OK ? result : first;
	}
	return first;
}

/* Webhooks that were not deactivated stay queued. If one had to wait for its campaign, it moves to the end, so that the next
 * round waits for another. */
static void
deactivated_round(void *context, enum result result UNUSED)
{
	struct maintenance *m = context;
	const size_t count = m->deactivation_count, round = m->round;
	struct deactivation waited = { .done = true };
	m->deactivation_count = m->round = 0;
	for (size_t i = 0; i < count; i++) {
		const struct deactivation request = m->deactivations[i];
		if (request.done)
			continue;
		if (i < round && waited.done)
			waited = request;
		else
			maintenance_deactivate_webhook(m, request.webhook_id, request.state);
	}
	if (!waited.done)
		maintenance_deactivate_webhook(m, waited.webhook_id, waited.state);
}

/* ---- task: fail pending deliveries of removed webhooks ---- */

static int64_t
when_fail_pending(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || m->webhook_count == 0 ? CLOCK_NEVER : 0;
}

/* Webhooks are served in the order of their ids, so that one that fails does not block the others. */
static void
next_webhook(void *context)
{
	struct maintenance *m = context;
	uint64_t first = UINT64_MAX, next = UINT64_MAX;
	for (size_t i = 0; i < m->webhook_count; i++) {
		const uint64_t id = m->webhooks[i];
		first = id < first ? id : first;
		if (id > m->work.webhook_id)
			next = id < next ? id : next;
	}
	m->work.webhook_id = next != UINT64_MAX ? next : first;
	m->work.pool = pool_new();
	m->work.under_way = slots_ids(m->slots, m->work.pool);
}

static enum result
fail_some_pending(struct store *store, void *context)
{
	struct maintenance *m = context;
	return store_fail_pending(store, m->work.webhook_id, &m->work.under_way, END_CHUNK, &m->work.ended);
}

static void
failed_some_pending(void *context, enum result result)
{
	struct maintenance *m = context;
	pool_free(&m->work.pool);
	if (result != RESULT_OK)
		return;
	if (m->work.ended > 0) {
		metrics_add(METRIC_DELIVERIES, METRIC_ENDED_FAILED, m->work.ended);
		log_debug("pending_ended", LOG_UINT("webhook", m->work.webhook_id), LOG_UINT("deliveries", m->work.ended));
		m->progress = true;
		return;
	}
	for (size_t i = 0; i < m->webhook_count; i++)
		if (m->webhooks[i] == m->work.webhook_id)
			m->webhooks[i--] = m->webhooks[--m->webhook_count];
}

/* ---- task: clean up ---- */

static int64_t
when_clean_up(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || !m->holder ? CLOCK_NEVER : m->next_maintenance_ms;
}

static enum result
clean_up(struct store *store, void *context UNUSED)
{
	return store_clean_up(store);
}

static void
cleaned_up(void *context, enum result result)
{
	struct maintenance *m = context;
	if (result == RESULT_OK)
		m->next_maintenance_ms = clock_monotonic_ms() + MAINTENANCE_MS;
}

/* ---- task: refresh statistics ---- */

static int64_t
when_refresh(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || !m->holder || !m->polls_are_slow ? CLOCK_NEVER : m->next_statistics_ms;
}

static enum result
refresh_statistics(struct store *store, void *context UNUSED)
{
	return store_refresh_statistics(store);
}

static void
refreshed_statistics(void *context, enum result result UNUSED)
{
	struct maintenance *m = context;
	m->polls_are_slow = false;
	m->next_statistics_ms = clock_monotonic_ms() + STATISTICS_MS;
}

/* ---- task: bulk jobs ---- */

static int64_t
when_bulk(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || !m->holder || !m->bulk_queued ? CLOCK_NEVER : 0;
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

static void
did_bulk(void *context, enum result result)
{
	struct maintenance *m = context;
	if (result != RESULT_OK)
		return;
	m->bulk_queued = m->work.bulk_left;
	m->progress = true; /* webhooks may have new deliveries */
}

/* ---- task: finish erasures and removals that the process that began them did not finish ---- */

static int64_t
when_resume_removals(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || !m->holder ? CLOCK_NEVER : m->next_removal_ms;
}

static enum result
resume_removals(struct store *store, void *context)
{
	struct maintenance *m = context;
	return store_resume_removals(store, &m->work.removals, &m->work.removals_left);
}

static void
resumed_removals(void *context, enum result result)
{
	struct maintenance *m = context;
	if (result == RESULT_OK)
		m->next_removal_ms = m->work.removals_left ? 0 : clock_monotonic_ms() + MAINTENANCE_MS;
}

/* ---- task: count the sources of new leads ---- */

static int64_t
when_count_sources(const void *context)
{
	const struct maintenance *m = context;
	return m->ending || !m->holder ? CLOCK_NEVER : m->next_sources_ms;
}

static enum result
count_sources(struct store *store, void *context)
{
	struct maintenance *m = context;
	return store_count_sources(store, &m->work.sources, &m->work.sources_left);
}

static void
counted_sources(void *context, enum result result)
{
	struct maintenance *m = context;
	if (result == RESULT_OK)
		m->next_sources_ms = m->work.sources_left ? 0 : clock_monotonic_ms() + MAINTENANCE_MS;
}

/* ---- the tasks ---- */

static const struct task table[] = {
	{ "deactivate_webhook", when_deactivate, take_round, deactivate_round, deactivated_round },
	{ "fail_pending", when_fail_pending, next_webhook, fail_some_pending, failed_some_pending },
	{ "clean_up", when_clean_up, NULL, clean_up, cleaned_up },
	{ "statistics", when_refresh, NULL, refresh_statistics, refreshed_statistics },
	{ "bulk", when_bulk, NULL, do_bulk, did_bulk },
	{ "removals", when_resume_removals, NULL, resume_removals, resumed_removals },
	{ "sources", when_count_sources, NULL, count_sources, counted_sources },
};

struct maintenance *
maintenance_new(
    struct event_loop *loop, struct store *store, const struct crashes *crashes, const struct slots *slots, size_t webhooks_max)
{
	struct maintenance *m = memory_alloc(sizeof(*m));
	m->webhooks_max = webhooks_max;
	m->deactivations = memory_alloc(webhooks_max * sizeof(*m->deactivations));
	m->webhooks = memory_alloc(webhooks_max * sizeof(*m->webhooks));
	m->crashes = crashes;
	m->slots = slots;
	m->work.sources_left = true; /* no pass has ended yet */
	m->tasks = tasks_new(loop, store, table, ARRAY_SIZE(table), m);
	if (m->tasks == NULL)
		maintenance_free(&m);
	return m;
}

void
maintenance_free(struct maintenance **maintenance)
{
	if (*maintenance == NULL)
		return;
	tasks_free(&(*maintenance)->tasks);
	free((*maintenance)->deactivations);
	free((*maintenance)->webhooks);
	pool_free(&(*maintenance)->work.pool);
	free(*maintenance);
	*maintenance = NULL;
}

struct tasks *
maintenance_tasks(const struct maintenance *m)
{
	return m->tasks;
}

bool
maintenance_take_progress(struct maintenance *m)
{
	const bool progress = m->progress;
	m->progress = false;
	return progress;
}

bool
maintenance_has_work(const struct maintenance *m)
{
	/* a busy task may write to `work` */
	return tasks_are_busy(m->tasks) || m->deactivation_count > 0 || m->webhook_count > 0 ||
	       (m->holder && (m->bulk_queued || m->work.removals_left || m->work.sources_left));
}
